-- Users, access tokens, apps, and the objects whose fields the specification does not show.

CREATE TABLE users (
  id text COLLATE "C" PRIMARY KEY,
  display_name text NOT NULL,
  email text NOT NULL,
  created_at timestamptz NOT NULL
);

CREATE TABLE access_tokens (
  id text COLLATE "C" PRIMARY KEY,
  secret_hash bytea NOT NULL,
  user_id text COLLATE "C" NOT NULL REFERENCES users,
  roles text[] NOT NULL,
  expires_at timestamptz,
  revoked_at timestamptz
);

CREATE TABLE apps (
  id text COLLATE "C" PRIMARY KEY,
  display_name text NOT NULL,
  created_at timestamptz NOT NULL
);

CREATE TABLE app_users (
  id text COLLATE "C" PRIMARY KEY,
  app_id text COLLATE "C" NOT NULL REFERENCES apps,
  identity_user_id text COLLATE "C" REFERENCES users,
  display_name text NOT NULL,
  last_used_at timestamptz
);

CREATE TABLE app_entitlements (
  id text COLLATE "C" PRIMARY KEY,
  app_id text COLLATE "C" NOT NULL REFERENCES apps,
  display_name text COLLATE "C" NOT NULL,
  description text NOT NULL,
  created_at timestamptz NOT NULL
);
CREATE INDEX app_entitlements_listed ON app_entitlements (app_id, display_name, id);

-- AccessReview, Insight, AppResource, EntitlementScopeBinding.
CREATE TABLE related_objects (
  kind text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  object jsonb NOT NULL,
  PRIMARY KEY (kind, id)
);
