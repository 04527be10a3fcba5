-- Unfinished runs are their own queue. Until version 055 pg-boss was: its schema may be dropped once no older version runs.
-- A run may be worked on when it is due. Taking it puts that off, for as long as a step may take.
ALTER TABLE runs
  ADD COLUMN due_at timestamptz NOT NULL DEFAULT now(),
  ADD COLUMN attempts integer NOT NULL DEFAULT 0;
CREATE INDEX runs_due ON runs (automation_id, due_at) WHERE finished_at IS NULL;
DROP INDEX runs_unfinished;
