package recorder

import "warcorder/store"

// Check refuses settings that Open would refuse, and opens nothing.
func (c Config) Check() error {
	c, err := c.withDefaults()
	if err == nil {
		_, err = store.NewKeyer(c.Keys)
	}
	return err
}
