-- Create "search_pendings" table
CREATE TABLE `search_pendings` (`store_id` blob NOT NULL, `kind` text NOT NULL, `id` blob NOT NULL, `since` integer NOT NULL, PRIMARY KEY (`store_id`, `kind`, `id`)) WITHOUT ROWID;
-- Create "search_terms" table
CREATE TABLE `search_terms` (`store_id` blob NOT NULL, `term` text NOT NULL, `id` blob NOT NULL, `personal` bool NOT NULL, PRIMARY KEY (`store_id`, `term`, `id`)) WITHOUT ROWID;
-- Create index "searchterm_store_id_id_term" to table: "search_terms"
CREATE INDEX `searchterm_store_id_id_term` ON `search_terms` (`store_id`, `id`, `term`);
-- Create "search_walks" table
CREATE TABLE `search_walks` (`store_id` blob NOT NULL, `id` blob NOT NULL, `form` integer NOT NULL, `stage` integer NOT NULL, `behind` blob NOT NULL, `done` bool NOT NULL DEFAULT (false), `updated_at` integer NOT NULL, PRIMARY KEY (`store_id`, `id`));
