-- Which root secret sealed what this database keeps. One row, written by the first start.
CREATE TABLE root_secret (
  id integer PRIMARY KEY DEFAULT 1 CHECK (id = 1),
  fingerprint bytea NOT NULL
);
