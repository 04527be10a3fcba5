-- One row per accepted event. The input is the unchanged body as text, because jsonb refuses some valid JSON.
CREATE TABLE runs (
  id text COLLATE "C" PRIMARY KEY,
  number bigint GENERATED ALWAYS AS IDENTITY,
  automation_id text COLLATE "C" NOT NULL,
  version integer NOT NULL,
  listener_id text COLLATE "C" NOT NULL,
  event_id uuid NOT NULL,
  input text NOT NULL,
  state text NOT NULL,
  next_position integer NOT NULL DEFAULT 0,
  created_at timestamptz NOT NULL,
  finished_at timestamptz
);
CREATE INDEX runs_listed ON runs (automation_id, number);

-- What a step did, written in the step's own transaction. Outcomes are JSON as text, because jsonb refuses some of it.
CREATE TABLE run_steps (
  run_id text COLLATE "C" NOT NULL REFERENCES runs,
  position integer NOT NULL,
  type text NOT NULL,
  state text NOT NULL,
  outcome text,
  error_code text,
  error_detail text,
  finished_at timestamptz NOT NULL,
  PRIMARY KEY (run_id, position)
);

-- The effect of `record` steps.
CREATE TABLE records (
  id text COLLATE "C" PRIMARY KEY,
  number bigint GENERATED ALWAYS AS IDENTITY,
  automation_id text COLLATE "C" NOT NULL,
  run_id text COLLATE "C" NOT NULL REFERENCES runs,
  value text NOT NULL,
  created_at timestamptz NOT NULL
);
CREATE INDEX records_listed ON records (automation_id, number);
