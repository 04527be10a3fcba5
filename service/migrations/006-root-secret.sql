-- The fingerprint of the root secret that sealed this database. One row, written at the first start.
CREATE TABLE root_secret (
  id integer PRIMARY KEY DEFAULT 1 CHECK (id = 1),
  fingerprint bytea NOT NULL
);
