package document

// Read is what reads an address without decoding it.
func Read(a Address) *AddressFields { return a.fields() }
