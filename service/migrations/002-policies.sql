CREATE TABLE policies (
  id text COLLATE "C" PRIMARY KEY,
  number bigint GENERATED ALWAYS AS IDENTITY UNIQUE,
  generation_id text NOT NULL,
  display_name text NOT NULL,
  description text NOT NULL,
  policy_type text NOT NULL,
  policy_steps jsonb NOT NULL,
  rules jsonb,
  baseline_policy_id text COLLATE "C" REFERENCES policies,
  post_actions jsonb,
  scope jsonb,
  annotations jsonb NOT NULL,
  system_builtin boolean NOT NULL DEFAULT false,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  deleted_at timestamptz
);
CREATE INDEX policies_baseline ON policies (baseline_policy_id);
