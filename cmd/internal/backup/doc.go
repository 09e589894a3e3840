// Package backup saves an installation on SQLite in one file, and restores it.
//
// The file is a gzipped tar. It holds a consistent copy of the database, the root secret of the
// data folder unless it is excluded, and the files of the blob store, followed by SHA256SUMS in the
// format of sha256sum, and manifest.json, which holds the checksum of that list. Files are copied
// after the database, so every file that the database names is there, except those removed during
// the copy.
//
// Memory use does not grow with the data: everything is streamed, and the list of checksums is kept
// in a file while it is written.
package backup

import "time"

// Names in an archive, and in a data folder.
const (
	databaseName = "storefront.db"
	secretName   = "secret.key"
	blobsName    = "blobs"
	sumsName     = "SHA256SUMS"
	manifestName = "manifest.json"
	// partialName is the folder of an unverified restore, and the mark of an unfinished one.
	partialName = "restore.partial"
)

// format is the archive format that this program writes, and the only one it reads.
const format = 1

// Manifest describes the content of an archive.
type Manifest struct {
	Format    int       `json:"format"`
	Program   string    `json:"program"`
	CreatedAt time.Time `json:"created_at"`
	Migration string    `json:"migration"`
	// Secret says whether the root secret is included. KeyIDs are the numbers of the installation's
	// secrets, the signing one first; they reveal nothing about the secrets.
	Secret bool  `json:"secret"`
	KeyIDs []int `json:"key_ids"`
	Blobs  bool  `json:"blobs"`
	// Files and Bytes count the content, and Sums is the SHA-256 of SHA256SUMS.
	Files int64  `json:"files"`
	Bytes int64  `json:"bytes"`
	Sums  string `json:"sums"`
}
