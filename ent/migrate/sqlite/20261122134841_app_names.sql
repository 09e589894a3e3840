-- Add column "verified_at" to table: "apps"
ALTER TABLE `apps` ADD COLUMN `verified_at` integer NULL;
-- Create "app_names" table
CREATE TABLE `app_names` (`name` text NOT NULL, `store_id` blob NOT NULL, `app_id` blob NOT NULL, PRIMARY KEY (`name`));
