-- Modify "exports" table
ALTER TABLE `exports` ADD COLUMN `redactions` bigint NULL, ADD COLUMN `restarts` bigint NULL;
-- Modify "redactions" table
ALTER TABLE `redactions` ADD COLUMN `number` bigint NULL;
-- Modify "stores" table
ALTER TABLE `stores` ADD COLUMN `redactions` bigint NULL, ADD COLUMN `redaction_walk` binary(16) NULL;
