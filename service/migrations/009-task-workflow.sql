-- The steps that the rules selected. A restarted task begins with them again.
ALTER TABLE tasks ADD COLUMN workflow jsonb;
UPDATE tasks SET workflow = coalesce(
  (SELECT jsonb_agg(step ORDER BY position) FROM task_steps WHERE task_id = tasks.id), '[]'::jsonb);
ALTER TABLE tasks ALTER COLUMN workflow SET NOT NULL;

-- The audit trail of a task: the actions of users, and now also those of the service.
ALTER TABLE task_actions RENAME TO task_audits;
ALTER TABLE task_audits RENAME COLUMN type TO action;
ALTER TABLE task_audits
  ADD COLUMN event text NOT NULL DEFAULT 'TASK_AUDIT_EVENT_ACTION',
  ADD COLUMN outcome text NOT NULL DEFAULT '',
  ADD COLUMN run_id text COLLATE "C";
ALTER TABLE task_audits ALTER COLUMN event DROP DEFAULT;
-- Number 0, because the numbers of actions begin with 1.
INSERT INTO task_audits (id, number, task_id, event, action, policy_step_id, comment, user_id, created_at)
OVERRIDING SYSTEM VALUE
SELECT gen_random_uuid()::text, 0, id, 'TASK_AUDIT_EVENT_CREATED', '', '', '', created_by_user_id, created_at FROM tasks;
