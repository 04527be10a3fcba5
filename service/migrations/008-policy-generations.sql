-- Every version of each policy. A task shows the generation it runs under.
CREATE TABLE policy_generations (LIKE policies, PRIMARY KEY (generation_id));
ALTER TABLE policy_generations DROP COLUMN number;
INSERT INTO policy_generations (id, generation_id, display_name, description, policy_type, policy_steps, rules,
  baseline_policy_id, post_actions, scope, annotations, system_builtin, created_at, updated_at, deleted_at)
SELECT id, generation_id, display_name, description, policy_type, policy_steps, rules, baseline_policy_id,
  post_actions, scope, annotations, system_builtin, created_at, updated_at, deleted_at
FROM policies;
