-- Drafts are in automations. Runs use a version, which never changes.
CREATE TABLE automations (
  id text COLLATE "C" PRIMARY KEY,
  number bigint GENERATED ALWAYS AS IDENTITY UNIQUE,
  display_name text NOT NULL,
  description text NOT NULL,
  steps jsonb NOT NULL,
  published_version integer,
  created_by_user_id text COLLATE "C" NOT NULL REFERENCES users,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL
);

CREATE TABLE automation_versions (
  automation_id text COLLATE "C" NOT NULL REFERENCES automations,
  version integer NOT NULL,
  steps jsonb NOT NULL,
  published_at timestamptz NOT NULL,
  PRIMARY KEY (automation_id, version)
);

-- An automation's incoming-webhook trigger. A jwks_url selects JWT, NULL selects HMAC. The revision increases with
-- every change to the verification settings or the secrets.
CREATE TABLE listeners (
  id text COLLATE "C" PRIMARY KEY,
  automation_id text COLLATE "C" NOT NULL UNIQUE REFERENCES automations,
  enabled boolean NOT NULL,
  allowed_cidrs text[],
  jwks_url text,
  revision integer NOT NULL DEFAULT 1
);

CREATE TABLE listener_secrets (
  listener_id text COLLATE "C" NOT NULL REFERENCES listeners,
  id text COLLATE "C" NOT NULL,
  sealed bytea NOT NULL,
  created_at timestamptz NOT NULL,
  number bigint GENERATED ALWAYS AS IDENTITY,
  PRIMARY KEY (listener_id, id)
);
