package cmd

import (
	"context"
	"time"

	"warcorder/proxy/admin"
	"warcorder/store"
	"warcorder/store/cdxapi"
	"warcorder/store/collection"
	"warcorder/store/readback"
	"warcorder/store/wayback"
)

// served is a collection as it is read over HTTP by what open returns.
func served(dir collection.Dir, current cdxapi.Collection,
	open func() (wayback.Reader, error)) wayback.Collection {
	return wayback.Collection{
		Name: dir.Name(), Dir: dir, Open: open,
		Pywb:    cdxapi.Pywb(current),
		Search:  cdxapi.Search(current),
		TimeMap: cdxapi.TimeMap(current),
	}
}

// siteTree mounts a site: for readers, with errors as JSON.
func siteTree(site *wayback.Site) admin.Tree {
	return admin.Tree{
		Page: admin.Page{For: admin.Readers, JSON: true, Handler: site},
		Has:  site.Has, EndsInURL: site.EndsInURL,
	}
}

// lastBytes is how long lists wait for an exchange whose client has its last byte and which is not
// handed over to be written yet: that takes less than a millisecond, unless the client is slow, or the
// machine has other things to do.
const lastBytes = 250 * time.Millisecond

// indexFor is the index for lists and exports. They have what clients had got before they were asked
// for, so that whoever loads a page and then exports it has it. Questions to the CDX server, which
// come by the hundred, do not wait for the disk: they find what is there, commit-interval later.
func (s *serving) indexFor(ctx context.Context, q store.Question) *store.Bolt {
	s.rec.OnDiskWithin(ctx, lastBytes) // what cannot be written at present is not waited for
	return s.rec.IndexFor(ctx, q)
}

// site is what is recorded, as others read it meanwhile. A collection that has the name of a page
// is found without its name alone.
func (s *serving) site() *wayback.Site {
	index := s.rec.Index()
	files := readback.Through(s.held, index)
	name := s.dir.Name()
	if collection.IsOwnPath(name) {
		name = ""
	}
	one := served(s.dir, cdxapi.Collection{
		Name: name, Index: s.rec.Index, IndexFor: s.rec.IndexFor,
	},
		func() (wayback.Reader, error) { return wayback.Reader{Index: index, Files: files}, nil })
	one.Name = name
	one.Settle = func(ctx context.Context, q store.Question) { s.rec.SettleFor(ctx, q) }
	return wayback.New(one)
}
