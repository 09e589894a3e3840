-- Create "facets" table
CREATE TABLE `facets` (`store_id` binary(16) NOT NULL, `id` binary(16) NOT NULL, `name` varchar(255) NOT NULL, `value` varchar(255) NOT NULL, PRIMARY KEY (`store_id`, `id`)) CHARSET utf8mb4 COLLATE utf8mb4_bin;
-- Create "listings" table
CREATE TABLE `listings` (`store_id` binary(16) NOT NULL, `shelf` binary(16) NOT NULL, `id` binary(16) NOT NULL, `published_at` bigint NOT NULL, `price_minor` bigint NOT NULL, `title_key` varbinary(64) NOT NULL, PRIMARY KEY (`store_id`, `shelf`, `id`), INDEX `listing_store_id_id` (`store_id`, `id`), INDEX `listing_store_id_shelf_price_minor_id` (`store_id`, `shelf`, `price_minor`, `id`), INDEX `listing_store_id_shelf_published_at_id` (`store_id`, `shelf`, `published_at`, `id`), INDEX `listing_store_id_shelf_title_key_id` (`store_id`, `shelf`, `title_key`, `id`)) CHARSET utf8mb4 COLLATE utf8mb4_bin;
-- Create "payment_holds" table
CREATE TABLE `payment_holds` (`store_id` binary(16) NOT NULL, `id` binary(16) NOT NULL, `bucket` tinyint NOT NULL, `due_at` bigint NOT NULL, PRIMARY KEY (`store_id`, `id`), INDEX `paymenthold_bucket_due_at` (`bucket`, `due_at`)) CHARSET utf8mb4 COLLATE utf8mb4_bin;
-- Create "search_entries" table
CREATE TABLE `search_entries` (`store_id` binary(16) NOT NULL, `word` varbinary(48) NOT NULL, `id` binary(16) NOT NULL, PRIMARY KEY (`store_id`, `word`, `id`), INDEX `searchentry_store_id_id_word` (`store_id`, `id`, `word`)) CHARSET utf8mb4 COLLATE utf8mb4_bin;
-- Create "search_spellings" table
CREATE TABLE `search_spellings` (`store_id` binary(16) NOT NULL, `spelling` varbinary(49) NOT NULL, `id` binary(16) NOT NULL, `word` varbinary(48) NOT NULL, PRIMARY KEY (`store_id`, `spelling`, `id`)) CHARSET utf8mb4 COLLATE utf8mb4_bin;
-- Create "shelf_walks" table
CREATE TABLE `shelf_walks` (`store_id` binary(16) NOT NULL, `id` binary(16) NOT NULL, `form` bigint NOT NULL, `behind` binary(16) NOT NULL, `done` bool NOT NULL DEFAULT 0, `updated_at` bigint NOT NULL, PRIMARY KEY (`store_id`, `id`)) CHARSET utf8mb4 COLLATE utf8mb4_bin;
