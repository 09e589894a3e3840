-- Add column "redactions" to table: "exports"
ALTER TABLE `exports` ADD COLUMN `redactions` integer NULL;
-- Add column "restarts" to table: "exports"
ALTER TABLE `exports` ADD COLUMN `restarts` integer NULL;
-- Add column "number" to table: "redactions"
ALTER TABLE `redactions` ADD COLUMN `number` integer NULL;
-- Add column "redactions" to table: "stores"
ALTER TABLE `stores` ADD COLUMN `redactions` integer NULL;
-- Add column "redaction_walk" to table: "stores"
ALTER TABLE `stores` ADD COLUMN `redaction_walk` blob NULL;
