package cmd

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// wrongSettings are the errors in what was read: all of the file, of the variables and of their values,
// where a start says the first alone. read is the error of the command line, or nil; ctx is how far it
// was read.
func (line *commandLine) wrongSettings(ctx *kong.Context, args []string, read error) (wrong []error) {
	if ctx.Error != nil { // the command line itself cannot be read
		wrong = append(wrong, explainParse(read, ctx.Model, args))
		read = nil
	} else if read != nil {
		wrong = each(line.loadUnread(ctx))
		wrong = append(wrong, line.file.unknown(ctx.Model)...)
		wrong = append(wrong, line.file.wrongValues(ctx)...)
		wrong = append(wrong, wrongVariableValues(ctx)...)
	}
	wrong = append(wrong, wrongVariables(ctx.Model, os.Environ())...)
	return append(wrong, unsaid(wrong, ctx, args, read)...)
}

// loadUnread reads the file, if an error of a variable came before that.
func (line *commandLine) loadUnread(ctx *kong.Context) error {
	path := ""
	for _, flag := range ctx.Model.Flags {
		if value, is := ctx.FlagValue(flag).(kong.ConfigFlag); is {
			path = string(value)
		}
	}
	if line.file != nil || path == "" {
		return nil
	}
	_, err := ctx.LoadConfig(path)
	return err
}

// unsaid are the errors of the command line that the others do not tell, one of each line of it.
func unsaid(said []error, ctx *kong.Context, args []string, read error) (more []error) {
	if read == nil {
		return nil
	}
	for text := range strings.SplitSeq(withoutValues(read.Error()), "\n") {
		if !slices.ContainsFunc(said, func(one error) bool { return strings.Contains(one.Error(), text) }) {
			more = append(more, explainParse(read, ctx.Model, args))
			break
		}
	}
	return more
}

// wrongValues are the errors of values that no flag takes.
func (c fileConfig) wrongValues(ctx *kong.Context) (wrong []error) {
	flags := map[string]*kong.Flag{}
	for _, flag := range settingFlags(ctx) {
		flags[flag.Name] = flag
	}
	for _, name := range c.inOrder() {
		s, flag := c[name], flags[name]
		if flag == nil || s.unset || s.empty && flag.Default == "" {
			continue
		}
		if err := s.check(flag); err != nil {
			wrong = append(wrong, fmt.Errorf("%s: %s: %w", flag.ShortSummary(), s.place(), err))
		}
	}
	return wrong
}

// wrongVariableValues are the same of variables. A value is not shown but in the words of who has read
// it: it may be a secret.
func wrongVariableValues(ctx *kong.Context) (wrong []error) {
	for _, flag := range settingFlags(ctx) {
		name, value := variableOf(flag)
		if name == "" || value == "" {
			continue
		}
		if err := (setting{value: value}).check(flag); err != nil {
			wrong = append(wrong, fmt.Errorf("%s: %w (in the environment: %s)", flag.ShortSummary(), err, name))
		}
	}
	return wrong
}

// variableOf is the variable that sets a flag, with its value; "" if none does.
func variableOf(flag *kong.Flag) (name, value string) {
	for _, name := range flag.Envs {
		if value, set := os.LookupEnv(name); set {
			return name, value
		}
	}
	return "", ""
}

// settingFlags are the flags that are settings, as the command has them, in the order in which they are
// declared.
func settingFlags(ctx *kong.Context) (flags []*kong.Flag) {
	known := configKeys(ctx.Model)
	for _, flag := range slices.Concat(ctx.Selected().Flags, ctx.Model.Flags) {
		if known[flag.Name] {
			flags = append(flags, flag)
		}
	}
	return flags
}
