-- Add column "collections" to table: "discounts"
ALTER TABLE `discounts` ADD COLUMN `collections` blob NULL;
-- Create "collections" table
CREATE TABLE `collections` (`store_id` blob NOT NULL, `id` blob NOT NULL, `version` integer NOT NULL DEFAULT (1), `event_sequence` integer NOT NULL DEFAULT (0), `updated_at` integer NOT NULL, `title` text NOT NULL, `handle` text NOT NULL, `description` text NULL, `sort` text NOT NULL, `rule` blob NULL, `bucket` integer NOT NULL, `due_at` integer NOT NULL, `behind` blob NOT NULL, `settling` bool NOT NULL DEFAULT (false), `gone` bool NOT NULL DEFAULT (false), PRIMARY KEY (`store_id`, `id`));
-- Create index "collection_store_id_handle" to table: "collections"
CREATE UNIQUE INDEX `collection_store_id_handle` ON `collections` (`store_id`, `handle`);
-- Create index "collection_bucket_due_at_store_id_id" to table: "collections"
CREATE INDEX `collection_bucket_due_at_store_id_id` ON `collections` (`bucket`, `due_at`, `store_id`, `id`);
-- Create "collection_products" table
CREATE TABLE `collection_products` (`store_id` blob NOT NULL, `collection_id` blob NOT NULL, `id` blob NOT NULL, `position` integer NOT NULL, PRIMARY KEY (`store_id`, `collection_id`, `id`));
-- Create index "collectionproduct_store_id_collection_id_position_id" to table: "collection_products"
CREATE INDEX `collectionproduct_store_id_collection_id_position_id` ON `collection_products` (`store_id`, `collection_id`, `position`, `id`);
-- Create index "collectionproduct_store_id_id_collection_id_position" to table: "collection_products"
CREATE INDEX `collectionproduct_store_id_id_collection_id_position` ON `collection_products` (`store_id`, `id`, `collection_id`, `position`);
