-- Disable the enforcement of foreign-keys constraints
PRAGMA foreign_keys = off;
-- Create "new_stores" table
CREATE TABLE `new_stores` (`id` blob NOT NULL, `version` integer NOT NULL DEFAULT (1), `event_sequence` integer NOT NULL DEFAULT (0), `updated_at` integer NOT NULL, `handle` text NOT NULL, `name` text NOT NULL, `currency` text NOT NULL, `timezone` text NOT NULL, `status` text NOT NULL DEFAULT ('open'), `next_number` integer NOT NULL DEFAULT (1001), `second_factor` bool NOT NULL DEFAULT (false), `refund_proof_minor` integer NULL, `limits` blob NULL, `legacy` bool NOT NULL DEFAULT (false), `demo` bool NOT NULL DEFAULT (false), `test` bool NOT NULL DEFAULT (false), `active_theme_id` blob NULL, `language` text NOT NULL DEFAULT ('en'), `storefront_revision` integer NOT NULL DEFAULT (0), PRIMARY KEY (`id`));
-- Copy rows from old table "stores" to new temporary table "new_stores"
INSERT INTO `new_stores` (`id`, `version`, `event_sequence`, `updated_at`, `handle`, `name`, `currency`, `timezone`, `status`, `next_number`, `second_factor`, `refund_proof_minor`, `limits`, `legacy`, `demo`, `active_theme_id`, `language`, `storefront_revision`) SELECT `id`, `version`, `event_sequence`, `updated_at`, `handle`, `name`, `currency`, `timezone`, `status`, `next_number`, `second_factor`, `refund_proof_minor`, `limits`, `legacy`, `demo`, `active_theme_id`, `language`, `storefront_revision` FROM `stores`;
-- Drop "stores" table after copying rows
DROP TABLE `stores`;
-- Rename temporary table "new_stores" to "stores"
ALTER TABLE `new_stores` RENAME TO `stores`;
-- Enable back the enforcement of foreign-keys constraints
PRAGMA foreign_keys = on;
