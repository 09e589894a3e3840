-- Create "facets" table
CREATE TABLE `facets` (`store_id` blob NOT NULL, `id` blob NOT NULL, `name` text NOT NULL, `value` text NOT NULL, PRIMARY KEY (`store_id`, `id`));
-- Create "listings" table
CREATE TABLE `listings` (`store_id` blob NOT NULL, `shelf` blob NOT NULL, `id` blob NOT NULL, `published_at` integer NOT NULL, `price_minor` integer NOT NULL, `title_key` text NOT NULL, PRIMARY KEY (`store_id`, `shelf`, `id`));
-- Create index "listing_store_id_shelf_published_at_id" to table: "listings"
CREATE INDEX `listing_store_id_shelf_published_at_id` ON `listings` (`store_id`, `shelf`, `published_at`, `id`);
-- Create index "listing_store_id_shelf_price_minor_id" to table: "listings"
CREATE INDEX `listing_store_id_shelf_price_minor_id` ON `listings` (`store_id`, `shelf`, `price_minor`, `id`);
-- Create index "listing_store_id_shelf_title_key_id" to table: "listings"
CREATE INDEX `listing_store_id_shelf_title_key_id` ON `listings` (`store_id`, `shelf`, `title_key`, `id`);
-- Create index "listing_store_id_id" to table: "listings"
CREATE INDEX `listing_store_id_id` ON `listings` (`store_id`, `id`);
-- Create "payment_holds" table
CREATE TABLE `payment_holds` (`store_id` blob NOT NULL, `id` blob NOT NULL, `bucket` integer NOT NULL, `due_at` integer NOT NULL, PRIMARY KEY (`store_id`, `id`));
-- Create index "paymenthold_bucket_due_at" to table: "payment_holds"
CREATE INDEX `paymenthold_bucket_due_at` ON `payment_holds` (`bucket`, `due_at`);
-- Create "search_entries" table
CREATE TABLE `search_entries` (`store_id` blob NOT NULL, `word` text NOT NULL, `id` blob NOT NULL, PRIMARY KEY (`store_id`, `word`, `id`));
-- Create index "searchentry_store_id_id_word" to table: "search_entries"
CREATE INDEX `searchentry_store_id_id_word` ON `search_entries` (`store_id`, `id`, `word`);
-- Create "search_spellings" table
CREATE TABLE `search_spellings` (`store_id` blob NOT NULL, `spelling` text NOT NULL, `id` blob NOT NULL, `word` text NOT NULL, PRIMARY KEY (`store_id`, `spelling`, `id`));
-- Create "shelf_walks" table
CREATE TABLE `shelf_walks` (`store_id` blob NOT NULL, `id` blob NOT NULL, `form` integer NOT NULL, `behind` blob NOT NULL, `done` bool NOT NULL DEFAULT (false), `updated_at` integer NOT NULL, PRIMARY KEY (`store_id`, `id`));
