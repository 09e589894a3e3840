package demo

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
)

// FileName is the file of the demo's credentials in the data folder.
const FileName = "demo.json"

const maxFile = 1 << 20

// File is demo.json (contract, section 11): the addresses of the demo and all its secrets.
type File struct {
	APIHost      string    `json:"api_host"`
	BaseURL      string    `json:"base_url"`
	GraphQLURL   string    `json:"graphql_url"`
	DashboardURL string    `json:"dashboard_url"`
	AdminURL     string    `json:"admin_url"`
	Stores       []Store   `json:"stores"`
	OAuthApp     *OAuthApp `json:"oauth_app"`

	// Runs is {api_host} of another running server on the same stores, or "". The file then belongs
	// to that server and was not written.
	Runs string `json:"-"`
}

// Store is one demo store with its credentials.
type Store struct {
	ID         string `json:"id"`
	Name       string `json:"name"`
	StoreHost  string `json:"store_host"`
	Currency   string `json:"currency"`
	Owner      Owner  `json:"owner"`
	StaffToken string `json:"staff_token"`
	// Keys are API keys: "all" with every scope, and one per scope under its name.
	Keys map[string]string `json:"keys"`
}

// Owner is the person who can sign in.
type Owner struct {
	Email    string `json:"email"`
	Password string `json:"password"`
}

// OAuthApp is an app that may ask for consent.
type OAuthApp struct {
	ID            string   `json:"id"`
	ClientID      string   `json:"client_id"`
	Name          string   `json:"name"`
	RedirectURIs  []string `json:"redirect_uris"`
	AllowedScopes []string `json:"allowed_scopes"`
}

// read reads the file of an earlier start. A file that others can read counts as lost, because its
// secrets may be known.
func read(path string) (*File, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.Size() > maxFile || !info.Mode().IsRegular() {
		return nil, errors.New(FileName + " is not a file of ours")
	}
	if mode := info.Mode().Perm(); mode&0o077 != 0 && runtime.GOOS != "windows" {
		return nil, fmt.Errorf("%s has mode %04o: others could read it", FileName, mode)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	f := &File{}
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode(f); err != nil {
		return nil, fmt.Errorf("%s is corrupt", FileName) // the cause may quote a secret
	}
	return f, nil
}

func (f *File) store(id string) *Store {
	for i := range f.Stores {
		if f.Stores[i].ID == id {
			return &f.Stores[i]
		}
	}
	return nil
}

// write replaces the file atomically, with mode 0600.
func (f *File) write(path string) (err error) {
	b, err := json.MarshalIndent(f, "", "  ")
	if err != nil {
		return fmt.Errorf("write %s: %w", FileName, err)
	}
	temp := filepath.Join(filepath.Dir(path), "."+FileName+"."+rand.Text())
	defer os.Remove(temp) // does nothing after the rename
	out, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("write %s: %w", FileName, err)
	}
	_, err = out.Write(append(b, '\n'))
	if err = errors.Join(err, out.Sync(), out.Close()); err == nil {
		err = os.Rename(temp, path)
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", FileName, err)
	}
	return nil
}
