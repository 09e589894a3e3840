// Package backup keeps an installation on SQLite in one file, and brings it back.
//
// The file is a tar in gzip. It holds the database as it was at one moment, the root secret
// of the data folder unless it is left out, and the files of the blob store, then SHA256SUMS
// in the form of sha256sum, and manifest.json, which seals that list. Files are copied
// behind the database, so those that it names are there, but for what was removed while the
// copy was made.
//
// Memory does not grow with what is kept: all is streamed, and the list of checksums lies
// in a file while it is made.
package backup

import "time"

// The names in an archive, and in a data folder.
const (
	databaseName = "storefront.db"
	secretName   = "secret.key"
	blobsName    = "blobs"
	sumsName     = "SHA256SUMS"
	manifestName = "manifest.json"
	// partialName is the folder in the data folder in which a restore has what is not
	// verified yet, and the mark that one did not end.
	partialName = "restore.partial"
)

// format is the form of archives that this program writes, and the only one it reads.
const format = 1

// Manifest says what an archive holds.
type Manifest struct {
	Format    int       `json:"format"`
	Program   string    `json:"program"`
	CreatedAt time.Time `json:"created_at"`
	// Migration is the last one of the database's schema.
	Migration string `json:"migration"`
	// Secret says whether the root secret is there. KeyIDs are the numbers of the secrets
	// that the installation has, the one that signs first; they tell nothing of the secrets.
	Secret bool  `json:"secret"`
	KeyIDs []int `json:"key_ids"`
	// Blobs says whether the files of the blob store are there.
	Blobs bool `json:"blobs"`
	// Files and Bytes are how much there is, and Sums is the SHA-256 of SHA256SUMS.
	Files int64  `json:"files"`
	Bytes int64  `json:"bytes"`
	Sums  string `json:"sums"`
}
