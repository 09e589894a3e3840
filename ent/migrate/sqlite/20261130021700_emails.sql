-- Add column "alerts" to table: "staff"
ALTER TABLE `staff` ADD COLUMN `alerts` blob NULL;
-- Add column "digest_at" to table: "staff"
ALTER TABLE `staff` ADD COLUMN `digest_at` integer NULL;
-- Add column "topic" to table: "notifications"
ALTER TABLE `notifications` ADD COLUMN `topic` text NULL;
-- Add column "low_stock" to table: "stores"
ALTER TABLE `stores` ADD COLUMN `low_stock` integer NULL;
-- Create "order_texts" table
CREATE TABLE `order_texts` (`store_id` blob NOT NULL, `language` text NOT NULL, `email` text NOT NULL, `id` blob NOT NULL, `subject` text NOT NULL, `intro` text NOT NULL, `closing` text NOT NULL, `version` integer NOT NULL DEFAULT (1), PRIMARY KEY (`store_id`, `language`, `email`));
