-- Modify "import_jobs" table
ALTER TABLE `import_jobs` ADD COLUMN `images_pending` bigint NOT NULL DEFAULT 0, ADD COLUMN `images_failed` bigint NOT NULL DEFAULT 0;
-- Modify "product_images" table
ALTER TABLE `product_images` ADD COLUMN `source_id` binary(16) NULL, ADD COLUMN `source_position` bigint NULL;
-- Create "import_images" table
CREATE TABLE `import_images` (`store_id` binary(16) NOT NULL, `id` binary(16) NOT NULL, `import_id` binary(16) NOT NULL, `product_id` binary(16) NOT NULL, `position` bigint NOT NULL, `url` mediumtext NOT NULL, `alt` varchar(512) NOT NULL, `variants` blob NULL, `record` varchar(255) NOT NULL, `line` bigint NOT NULL, `start` bigint NOT NULL, `size` bigint NOT NULL, `tries` bigint NOT NULL DEFAULT 0, `failures` bigint NOT NULL DEFAULT 0, `due_at` bigint NOT NULL, PRIMARY KEY (`store_id`, `id`), INDEX `importimage_store_id_due_at` (`store_id`, `due_at`)) CHARSET utf8mb4 COLLATE utf8mb4_bin;
