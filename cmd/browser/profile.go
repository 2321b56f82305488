package browser

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"warcorder/store/scratch"
)

// profile is a folder for one run of a browser, warcorder-browser-RANDOM. It is marked as in use for
// as long as its process or the browser lives: the browser inherits the mark.
//
//	data/      the browser's profile
//	config/    what would go to ~/.config: links to the parts of that which others have set up
//	cache/     what would go to ~/.cache
//	tmp/       what would go to the folder for temporary files, where Chromium leaves some
type profile struct{ *scratch.Folder }

func newProfile(place string) (*profile, error) {
	folder, err := scratch.MakeFolderIn(place, "browser")
	if err != nil {
		return nil, fmt.Errorf("make a profile: %w", err)
	}
	return &profile{folder}, nil
}

// data makes the browser's own folder.
func (p *profile) data() (string, error) {
	dir := filepath.Join(p.Path, "data")
	return dir, os.Mkdir(dir, 0o700)
}

// fromHome are the parts of ~/.config that are not the browser's own: where downloads go, and how
// text looks.
var fromHome = []string{"user-dirs.dirs", "user-dirs.locale", "fontconfig", "gtk-3.0", "gtk-4.0"}

// longestTemp is how long the path of a profile may be so that a socket in its tmp/ has a name that
// systems take (104 bytes and more): org.chromium.Chromium.123456/SingletonSocket is one.
const longestTemp = 50

// environment keeps the browser from writing to the user's folders for settings and caches, and to
// that for temporary files, where browsers put things whatever their profile is.
func (p *profile) environment() (variables []string, err error) {
	if runtime.GOOS == "windows" || runtime.GOOS == "darwin" {
		return nil, nil
	}
	folders := map[string]string{"XDG_CONFIG_HOME": "config", "XDG_CACHE_HOME": "cache"}
	if len(p.Path) <= longestTemp {
		folders["TMPDIR"] = "tmp"
	}
	for variable, name := range folders {
		dir := filepath.Join(p.Path, name)
		if err := os.Mkdir(dir, 0o700); err != nil {
			return nil, err
		}
		variables = append(variables, variable+"="+dir)
	}
	home, err := os.UserConfigDir()
	if err != nil {
		return variables, nil
	}
	for _, name := range fromHome {
		theirs := filepath.Join(home, name)
		if _, err := os.Stat(theirs); err != nil {
			continue
		}
		if err := os.Symlink(theirs, filepath.Join(p.Path, "config", name)); err != nil {
			return nil, err
		}
	}
	return variables, nil
}

// removePatience is how long a profile may resist: a process that is ending may still write to it,
// and on Windows a file that is open stays.
const removePatience = 5 * time.Second

// remove removes the profile.
func (p *profile) remove() error {
	data := filepath.Join(p.Path, "data")
	err := os.RemoveAll(data)
	for end := time.Now().Add(removePatience); err != nil && time.Now().Before(end); {
		time.Sleep(removePatience / 50)
		err = os.RemoveAll(data)
	}
	if err := p.Remove(); err != nil {
		return fmt.Errorf("remove the browser's profile: %w", err)
	}
	return nil
}
