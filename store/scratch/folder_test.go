package scratch

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
)

// TestMain lets the test binary make a folder and be killed.
func TestMain(m *testing.M) {
	if kind := os.Getenv("MAKE_FOLDER"); kind != "" {
		folder, err := MakeFolder(kind)
		if err != nil {
			panic(err)
		}
		os.WriteFile(filepath.Join(folder.Path, "file"), []byte("text"), 0o400)
		os.Stdout.WriteString(folder.Path + "\n")
		os.Stdin.Read(make([]byte, 1))
	}
	os.Exit(m.Run())
}

// elsewhere has another process make a folder, and returns it with what kills the process.
func elsewhere(t *testing.T, kind string) (path string, kill func()) {
	t.Helper()
	other := exec.Command(os.Args[0])
	other.Env = append(os.Environ(), "MAKE_FOLDER="+kind)
	in, err := other.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := other.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := other.Start(); err != nil {
		t.Fatal(err)
	}
	kill = sync.OnceFunc(func() { other.Process.Kill(); other.Wait(); in.Close() })
	t.Cleanup(kill)
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return line[:len(line)-1], kill
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// TestFolderOfRelative: the path of a folder leads there from everywhere.
func TestFolderOfRelative(t *testing.T) {
	t.Chdir(t.TempDir())
	folder, err := MakeFolderIn(".", "test")
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Remove()
	if !filepath.IsAbs(folder.Path) || !exists(folder.Path) {
		t.Errorf("it is %s", folder.Path)
	}
}

// TestFolder: the folder is its owner's alone, and nothing is left of it.
func TestFolder(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	folder, err := MakeFolder("test")
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(folder.Path)
	if err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o700 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if err := os.WriteFile(filepath.Join(folder.Path, "file"), []byte("text"), 0o600); err != nil {
		t.Error(err)
	}
	if err := folder.Remove(); err != nil || exists(folder.Path) {
		t.Errorf("left: %v", err)
	}
}

// TestDeadFolders: a folder is removed by the next start when its process is dead, and only then;
// links, files and folders of other kinds stay.
func TestDeadFolders(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	dead, kill := elsewhere(t, "test")
	alive, _ := elsewhere(t, "test")
	precious := filepath.Join(temp, "precious")
	link := filepath.Join(temp, "warcorder-test-link")
	stay := []string{alive, precious, link, filepath.Join(temp, "warcorder-other-1")}
	for _, dir := range []string{stay[1], stay[3]} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(precious, link); err != nil {
		t.Fatal(err)
	}
	kill()
	folder, err := MakeFolder("test")
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Remove()
	if exists(dead) {
		t.Error("the folder of a dead process is left")
	}
	for _, path := range stay {
		if !exists(path) {
			t.Errorf("%s is removed", path)
		}
	}
}

// TestFoldersAtOnce: processes that make and sweep at the same time leave each other's alone.
func TestFoldersAtOnce(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 50 {
				folder, err := MakeFolder("test")
				if err != nil {
					t.Error(err)
					return
				}
				if !exists(folder.Path) {
					t.Errorf("%s was removed by another", folder.Path)
				}
				if err := folder.Remove(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
}
