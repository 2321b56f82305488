package environment

import (
	"errors"
	"io/fs"
	"os/exec"
	"path/filepath"
	"strings"
)

// LookPath returns the path of a program by the PATH among the variables. The error is
// fs.ErrPermission if there is nothing but files of that name that may not be executed.
func LookPath(name string, variables []string) (string, error) {
	if strings.ContainsRune(name, filepath.Separator) || strings.Contains(name, "/") {
		return exec.LookPath(name)
	}
	refused := exec.ErrNotFound
	for _, folder := range filepath.SplitList(lookup(variables, "PATH")) {
		folder, err := filepath.Abs(folder) // an empty one is where we are
		if err != nil {
			continue
		}
		path, err := exec.LookPath(filepath.Join(folder, name))
		if err == nil {
			return path, nil
		}
		if errors.Is(err, fs.ErrPermission) {
			refused = err
		}
	}
	return "", refused
}
