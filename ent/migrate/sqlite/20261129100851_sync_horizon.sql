-- Add column "sync_from" to table: "exports"
ALTER TABLE `exports` ADD COLUMN `sync_from` integer NULL;
-- Create "write_horizons" table
CREATE TABLE `write_horizons` (`id` blob NOT NULL, `horizon` integer NOT NULL, `beat` integer NOT NULL, PRIMARY KEY (`id`));
