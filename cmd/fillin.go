package cmd

import (
	"fmt"
	"maps"
	"os"

	"github.com/alecthomas/kong"
)

// fillIn puts values in the place of their ${names} in what the flags say. Kong's own
// variables would do the same, but look through each of them anew for each flag: that was most of
// the time in which a command starts.
func fillIn(app *kong.Application, variables ...map[string]string) error {
	all := map[string]string{}
	for _, some := range variables {
		maps.Copy(all, some)
	}
	for _, node := range append(app.Children, app.Node) {
		for _, flag := range node.Flags {
			for _, text := range []*string{&flag.Default, &flag.Enum, &flag.Help} {
				var err error
				*text = os.Expand(*text, func(name string) string {
					value, ok := all[name]
					if !ok {
						err = fmt.Errorf("%s --%s: no variable ${%s}", node.Name, flag.Name, name)
					}
					return value
				})
				if err != nil {
					return err
				}
			}
		}
	}
	return nil
}
