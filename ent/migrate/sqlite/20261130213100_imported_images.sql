-- Add column "images_pending" to table: "import_jobs"
ALTER TABLE `import_jobs` ADD COLUMN `images_pending` integer NOT NULL DEFAULT (0);
-- Add column "images_failed" to table: "import_jobs"
ALTER TABLE `import_jobs` ADD COLUMN `images_failed` integer NOT NULL DEFAULT (0);
-- Add column "source_id" to table: "product_images"
ALTER TABLE `product_images` ADD COLUMN `source_id` blob NULL;
-- Add column "source_position" to table: "product_images"
ALTER TABLE `product_images` ADD COLUMN `source_position` integer NULL;
-- Create "import_images" table
CREATE TABLE `import_images` (`store_id` blob NOT NULL, `id` blob NOT NULL, `import_id` blob NOT NULL, `product_id` blob NOT NULL, `position` integer NOT NULL, `url` text NOT NULL, `alt` text NOT NULL, `variants` blob NULL, `record` text NOT NULL, `line` integer NOT NULL, `start` integer NOT NULL, `size` integer NOT NULL, `tries` integer NOT NULL DEFAULT (0), `failures` integer NOT NULL DEFAULT (0), `due_at` integer NOT NULL, PRIMARY KEY (`store_id`, `id`));
-- Create index "importimage_store_id_due_at" to table: "import_images"
CREATE INDEX `importimage_store_id_due_at` ON `import_images` (`store_id`, `due_at`);
