-- A step names its users in userIds, and a rule its steps in policyKey. Both had a second spelling: users.userIds and stepKey.

-- Moves users.userIds to the end of userIds. The first of equal IDs stays. What is not a text named nobody.
CREATE FUNCTION step_057(step jsonb) RETURNS jsonb LANGUAGE sql AS $$
  SELECT jsonb_object_agg(kind, CASE WHEN variant #> '{users,userIds}' IS NULL THEN variant ELSE
    (variant #- '{users,userIds}') || coalesce((
      SELECT jsonb_build_object('userIds', jsonb_agg(id ORDER BY place)) FROM (
        SELECT id, min(place) AS place
        FROM jsonb_path_query_array(variant, 'strict $.userIds[*]', silent => true) AS own,
          jsonb_path_query_array(variant, 'strict $.users.userIds[*]', silent => true) AS others,
          jsonb_array_elements(own || others) WITH ORDINALITY AS named (id, place)
        WHERE jsonb_typeof(id) = 'string' GROUP BY id
      ) AS once HAVING count(*) > 0
    ), '{}') END)
  FROM jsonb_each(step) AS kinds (kind, variant)
$$;
CREATE FUNCTION steps_057(steps jsonb) RETURNS jsonb LANGUAGE sql AS $$
  SELECT coalesce(jsonb_agg(step_057(step) ORDER BY place), '[]')
  FROM jsonb_array_elements(steps) WITH ORDINALITY AS listed (step, place)
$$;
CREATE FUNCTION policy_steps_057(entries jsonb) RETURNS jsonb LANGUAGE sql AS $$
  SELECT jsonb_object_agg(key, entry || jsonb_build_object('steps', steps_057(entry -> 'steps')))
  FROM jsonb_each(entries) AS each (key, entry)
$$;
CREATE FUNCTION rules_057(rules jsonb) RETURNS jsonb LANGUAGE sql AS $$
  SELECT jsonb_agg(CASE WHEN rule ->> 'policyKey' IS NULL
    THEN rule - 'stepKey' || jsonb_build_object('policyKey', rule -> 'stepKey') ELSE rule END ORDER BY place)
  FROM jsonb_array_elements(rules) WITH ORDINALITY AS listed (rule, place)
$$;

UPDATE task_steps SET step = step_057(step) WHERE step @? '$.*.users.userIds';
UPDATE tasks SET workflow = steps_057(workflow) WHERE workflow @? '$[*].*.users.userIds';
UPDATE policies SET policy_steps = policy_steps_057(policy_steps) WHERE policy_steps @? '$.*.steps[*].*.users.userIds';
UPDATE policy_generations SET policy_steps = policy_steps_057(policy_steps)
WHERE policy_steps @? '$.*.steps[*].*.users.userIds';
UPDATE policies SET rules = rules_057(rules) WHERE rules @? '$[*].stepKey';
UPDATE policy_generations SET rules = rules_057(rules) WHERE rules @? '$[*].stepKey';

DROP FUNCTION step_057, steps_057, policy_steps_057, rules_057;

-- A process of an older version may still write the old spellings. Without these constraints, approvers would not be
-- read, and every operator could approve, and a rule would lead to the baseline.
ALTER TABLE task_steps ADD CONSTRAINT task_steps_users CHECK (NOT step @? 'strict $.*.users.userIds');
ALTER TABLE tasks ADD CONSTRAINT tasks_users CHECK (NOT workflow @? 'strict $[*] ? (exists(@.*.users.userIds))');
ALTER TABLE policies
  ADD CONSTRAINT policies_users CHECK (NOT policy_steps @? 'strict $.*.steps[*] ? (exists(@.*.users.userIds))'),
  ADD CONSTRAINT policies_rules CHECK (
    NOT rules @? '$[*] ? (exists(@.stepKey) && (!exists(@.policyKey) || @.policyKey == null))');
