-- Modify "apps" table
ALTER TABLE `apps` ADD COLUMN `verified_at` bigint NULL;
-- Create "app_names" table
CREATE TABLE `app_names` (`name` varbinary(1020) NOT NULL, `store_id` binary(16) NOT NULL, `app_id` binary(16) NOT NULL, PRIMARY KEY (`name`)) CHARSET utf8mb4 COLLATE utf8mb4_bin;
