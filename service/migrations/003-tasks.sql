CREATE TABLE tasks (
  id text COLLATE "C" PRIMARY KEY,
  numeric_id bigint GENERATED ALWAYS AS IDENTITY UNIQUE,
  display_name text NOT NULL,
  description text NOT NULL,
  state text NOT NULL,
  processing text NOT NULL,
  origin text NOT NULL,
  type jsonb NOT NULL,
  user_id text COLLATE "C" NOT NULL,
  created_by_user_id text COLLATE "C" NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  deleted_at timestamptz,
  annotations jsonb,
  approver_ids text[] NOT NULL DEFAULT '{}',
  comment_count integer NOT NULL DEFAULT 0,
  data jsonb,
  emergency_access boolean NOT NULL DEFAULT false,
  form jsonb,
  insight_ids text[] NOT NULL DEFAULT '{}',
  recommendation text NOT NULL,
  analysis_id text NOT NULL DEFAULT '',
  policy_id text COLLATE "C" NOT NULL REFERENCES policies,
  policy_generation_id text NOT NULL,
  revocation_targets jsonb
);

-- A step gets its instance ID when it becomes active. Until then it waits, ordered by position.
CREATE TABLE task_steps (
  task_id text COLLATE "C" NOT NULL REFERENCES tasks ON DELETE CASCADE,
  position integer NOT NULL,
  step jsonb NOT NULL,
  instance_id text COLLATE "C",
  state text,
  outcome jsonb,
  PRIMARY KEY (task_id, position),
  UNIQUE (task_id, instance_id)
);
-- At most one step of a task is active.
CREATE UNIQUE INDEX task_steps_one_active ON task_steps (task_id) WHERE state = 'POLICY_STEP_STATE_ACTIVE';

CREATE TABLE task_actions (
  id text COLLATE "C" PRIMARY KEY,
  number bigint GENERATED ALWAYS AS IDENTITY,
  task_id text COLLATE "C" NOT NULL REFERENCES tasks ON DELETE CASCADE,
  type text NOT NULL,
  policy_step_id text COLLATE "C" NOT NULL,
  comment text NOT NULL,
  user_id text COLLATE "C" NOT NULL,
  created_at timestamptz NOT NULL,
  UNIQUE (task_id, number)
);
