-- Create "collections" table
CREATE TABLE `collections` (`store_id` blob NOT NULL, `id` blob NOT NULL, `version` integer NOT NULL DEFAULT (1), `updated_at` integer NOT NULL, `title` text NOT NULL, `handle` text NOT NULL, `status` text NOT NULL, `description` text NULL, `rule` blob NULL, `published_at` integer NULL, PRIMARY KEY (`store_id`, `id`));
-- Create index "collection_store_id_handle" to table: "collections"
CREATE UNIQUE INDEX `collection_store_id_handle` ON `collections` (`store_id`, `handle`);
-- Create index "collection_store_id_status_id" to table: "collections"
CREATE INDEX `collection_store_id_status_id` ON `collections` (`store_id`, `status`, `id`);
-- Create "collection_products" table
CREATE TABLE `collection_products` (`store_id` blob NOT NULL, `collection_id` blob NOT NULL, `id` blob NOT NULL, `position` integer NOT NULL, PRIMARY KEY (`store_id`, `collection_id`, `id`));
-- Create index "collectionproduct_store_id_id" to table: "collection_products"
CREATE INDEX `collectionproduct_store_id_id` ON `collection_products` (`store_id`, `id`);
-- Create "facets" table
CREATE TABLE `facets` (`store_id` blob NOT NULL, `id` blob NOT NULL, `name` text NOT NULL, `value` text NOT NULL, PRIMARY KEY (`store_id`, `id`));
-- Create "listings" table
CREATE TABLE `listings` (`store_id` blob NOT NULL, `shelf` blob NOT NULL, `id` blob NOT NULL, `published_at` integer NOT NULL, `price_minor` integer NOT NULL, `title_key` text NOT NULL, `position` integer NOT NULL DEFAULT (0), PRIMARY KEY (`store_id`, `shelf`, `id`));
-- Create index "listing_store_id_shelf_published_at_id" to table: "listings"
CREATE INDEX `listing_store_id_shelf_published_at_id` ON `listings` (`store_id`, `shelf`, `published_at`, `id`);
-- Create index "listing_store_id_shelf_price_minor_id" to table: "listings"
CREATE INDEX `listing_store_id_shelf_price_minor_id` ON `listings` (`store_id`, `shelf`, `price_minor`, `id`);
-- Create index "listing_store_id_shelf_title_key_id" to table: "listings"
CREATE INDEX `listing_store_id_shelf_title_key_id` ON `listings` (`store_id`, `shelf`, `title_key`, `id`);
-- Create index "listing_store_id_shelf_position_id" to table: "listings"
CREATE INDEX `listing_store_id_shelf_position_id` ON `listings` (`store_id`, `shelf`, `position`, `id`);
-- Create index "listing_store_id_id" to table: "listings"
CREATE INDEX `listing_store_id_id` ON `listings` (`store_id`, `id`);
-- Create "search_entries" table
CREATE TABLE `search_entries` (`store_id` blob NOT NULL, `word` text NOT NULL, `id` blob NOT NULL, PRIMARY KEY (`store_id`, `word`, `id`));
-- Create index "searchentry_store_id_id" to table: "search_entries"
CREATE INDEX `searchentry_store_id_id` ON `search_entries` (`store_id`, `id`);
-- Create "search_spellings" table
CREATE TABLE `search_spellings` (`store_id` blob NOT NULL, `spelling` text NOT NULL, `id` blob NOT NULL, `word` text NOT NULL, PRIMARY KEY (`store_id`, `spelling`, `id`));
-- Create "shelf_walks" table
CREATE TABLE `shelf_walks` (`store_id` blob NOT NULL, `id` blob NOT NULL, `form` integer NOT NULL, `behind` blob NOT NULL, `done` bool NOT NULL DEFAULT (false), `updated_at` integer NOT NULL, PRIMARY KEY (`store_id`, `id`));
