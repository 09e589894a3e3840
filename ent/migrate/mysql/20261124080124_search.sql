-- Create "search_pendings" table
CREATE TABLE `search_pendings` (`store_id` binary(16) NOT NULL, `kind` varbinary(1) NOT NULL, `id` binary(16) NOT NULL, `since` bigint NOT NULL, PRIMARY KEY (`store_id`, `kind`, `id`)) CHARSET utf8mb4 COLLATE utf8mb4_bin;
-- Create "search_terms" table
CREATE TABLE `search_terms` (`store_id` binary(16) NOT NULL, `term` varbinary(49) NOT NULL, `id` binary(16) NOT NULL, `personal` bool NOT NULL, PRIMARY KEY (`store_id`, `term`, `id`), INDEX `searchterm_store_id_id_term` (`store_id`, `id`, `term`)) CHARSET utf8mb4 COLLATE utf8mb4_bin;
-- Create "search_walks" table
CREATE TABLE `search_walks` (`store_id` binary(16) NOT NULL, `id` binary(16) NOT NULL, `form` bigint NOT NULL, `stage` bigint NOT NULL, `behind` binary(16) NOT NULL, `done` bool NOT NULL DEFAULT 0, `updated_at` bigint NOT NULL, PRIMARY KEY (`store_id`, `id`)) CHARSET utf8mb4 COLLATE utf8mb4_bin;
