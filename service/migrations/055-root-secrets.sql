-- All replicas seal with the root secret of this fingerprint. A retired one does not come back.
ALTER TABLE root_secret ADD COLUMN retired bytea[] NOT NULL DEFAULT '{}';
-- The fingerprint of the root secret that sealed this. NULL: sealed by an older version, by a root secret of then.
ALTER TABLE listener_secrets ADD COLUMN root bytea;
