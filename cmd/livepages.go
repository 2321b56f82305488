package cmd

import "warcorder/proxy/admin"

// live is how the live page is shown.
func (c *recordFlags) live(s *serving) *admin.Live {
	return &admin.Live{Control: c.PageControl == pageControlReaders, Frames: s.preview.port}
}

// pageControlReaders is what page-control is where readers may change something from the live page.
const pageControlReaders = "readers"
