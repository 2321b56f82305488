package pages

import "context"

// Title returns the title of a page, from its HTML; "" if it has none.
func (p *Pages) Title(ctx context.Context, page Page) (string, error) { return "", ctx.Err() }
