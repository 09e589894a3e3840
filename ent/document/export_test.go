package document

// Read reads an address without decoding it.
func Read(a Address) *AddressFields { return a.fields() }
