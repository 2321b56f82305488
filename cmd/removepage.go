package cmd

import (
	"context"
	"errors"
	"fmt"
	"net/url"

	"warcorder/cmd/removing"
	"warcorder/proxy/admin"
	"warcorder/store/collection"
	"warcorder/store/selection"
)

// The page that removes, and its parameters beside those of a selection.
const (
	removePath  = "/remove"
	paramReason = "reason"
	paramForget = "forget"
	paramDryRun = "dry-run"
	paramPlan   = "plan"
)

// checkRemoval refuses a form for removePath that says something which nobody would heed: what was
// meant to keep something, or to change nothing, must not be lost.
func checkRemoval(form url.Values) error {
	for name, values := range form {
		switch name {
		case paramForget, paramDryRun:
			if values[0] != "true" && values[0] != "false" {
				return fmt.Errorf("%s is %q: say true or false", name, values[0])
			}
		case paramReason, paramPlan:
		default:
			if !selection.IsParam(name) {
				return fmt.Errorf("%q is nothing that a removal heeds", name)
			}
		}
		if len(values) > 1 && !selection.Repeats(name) {
			return fmt.Errorf("%s is given %d times: say it once", name, len(values))
		}
	}
	return nil
}

// remove removes, for removePath.
func (s *serving) remove(ctx context.Context, mode collection.Mode, form url.Values) (any, error) {
	wish, err := wishOf(ctx, form)
	if err != nil {
		return nil, err
	}
	return s.carryOut(ctx, mode, wish, admin.ClientOf(ctx))
}

// wishOf is what a form asks for.
func wishOf(ctx context.Context, form url.Values) (wish removing.Wish, err error) {
	sel, err := selection.Of(form)
	if err == nil && sel.IsAll() {
		err = errors.New("say what is to go, with url, from, to, page or file")
	}
	return removing.Wish{
		Choose: removing.Chosen(ctx, sel), DryRun: form.Get(paramDryRun) == "true",
		Reason: form.Get(paramReason), Forget: form.Get(paramForget) == "true", Plan: form.Get(paramPlan),
	}, err
}

// carryOut removes what somebody has asked for.
func (s *serving) carryOut(ctx context.Context, mode collection.Mode, wish removing.Wish, client string) (
	done removing.Removed, err error) {
	done, err = removing.Remove(ctx, s.rec, s.dir, mode, wish)
	if done.Done {
		s.forget(done.Took)
		s.log.Warn().Str("id", done.ID).Int64("captures", done.Captures).Int64("records", done.Records).
			Int64("bytes", done.Bytes).Int("files", done.Files).Str("client", client).
			Msg("removed, as was asked for")
	}
	return done, err
}
