-- The policy generation that a task's workflow came from, which its policy may defer to. Null: that of the task.
ALTER TABLE tasks ADD COLUMN workflow_generation_id text;

-- Of older tasks whose policy defers, follow the generations of that time, to the first that has this workflow.
WITH RECURSIVE sources (task_id, workflow, created_at, generation_id, depth) AS (
  SELECT tasks.id, workflow, tasks.created_at, generation_id, 0
  FROM tasks JOIN policy_generations ON generation_id = policy_generation_id
  WHERE baseline_policy_id IS NOT NULL
  UNION ALL
  SELECT task_id, workflow, sources.created_at, next.generation_id, depth + 1
  FROM sources
  JOIN policy_generations AS here ON here.generation_id = sources.generation_id
  CROSS JOIN LATERAL (
    SELECT generation_id FROM policy_generations
    WHERE id = here.baseline_policy_id AND updated_at <= sources.created_at
    ORDER BY updated_at DESC LIMIT 1) AS next
  WHERE depth < 5
), found AS (
  SELECT DISTINCT ON (task_id) task_id, generation_id
  FROM sources JOIN policy_generations USING (generation_id)
  WHERE EXISTS (SELECT FROM jsonb_each(policy_steps) AS entry WHERE entry.value->'steps' = workflow)
  ORDER BY task_id, depth
)
UPDATE tasks SET workflow_generation_id = found.generation_id FROM found WHERE found.task_id = tasks.id;
