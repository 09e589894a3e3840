-- Modify "exports" table
ALTER TABLE `exports` ADD COLUMN `sync_from` bigint NULL;
-- Create "write_horizons" table
CREATE TABLE `write_horizons` (`id` binary(16) NOT NULL, `horizon` bigint NOT NULL, `beat` bigint NOT NULL, PRIMARY KEY (`id`)) CHARSET utf8mb4 COLLATE utf8mb4_bin;
