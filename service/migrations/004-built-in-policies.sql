-- The policies of tasks that name no policy: one approval, by any operator.
INSERT INTO policies (id, generation_id, display_name, description, policy_type, policy_steps, annotations,
  system_builtin, created_at, updated_at)
SELECT 'builtin-' || name, 'builtin-' || name || '-1', initcap(name) || ' (built in)', 'Cannot be edited.',
  'POLICY_TYPE_' || upper(name), jsonb_build_object(name, '{"steps": [{"approval": {}}]}'::jsonb), '{}', true,
  now(), now()
FROM unnest(ARRAY['grant', 'revoke', 'certify']) AS name;
