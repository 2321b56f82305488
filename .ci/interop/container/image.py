"""What the Dockerfile describes, without Docker: the root filesystem of its last stage, and a process
in it.

  image.py build DOCKERFILE ROOT /SOURCE=FILE...   makes it; SOURCE is what COPY takes of the build stage
  image.py get DOCKERFILE NAME                     USER, STOPSIGNAL, HEALTHCHECK's command, ENV, ... as lines
  image.py run DOCKERFILE ROOT FOLDER:/VOLUME... -- NAME=VALUE... -- [ARGUMENT...]
                                                   becomes it, in namespaces that are its own: read-only
                                                   root, the user, no capabilities
"""
import ctypes, json, os, re, shlex, shutil, subprocess, sys

libc = ctypes.CDLL(None, use_errno=True)


def check(result, what):
    if result != 0:
        raise OSError(ctypes.get_errno(), what)


def instructions(dockerfile):
    """Those of the last stage: pairs of a word and the rest."""
    text = re.sub(r"(?m)^\s*#.*\n", "", open(dockerfile).read())
    text = re.sub(r"\\\n\s*", " ", text)
    stage = []
    for line in filter(None, map(str.strip, text.splitlines())):
        word, rest = line.split(None, 1)
        if word == "FROM":
            stage = []
            base = rest
        stage.append((word, rest))
    if base != "scratch":
        sys.exit(f"the last stage is from {base}: only scratch is known here")
    known = ("FROM COPY USER ENV VOLUME EXPOSE STOPSIGNAL HEALTHCHECK LABEL ENTRYPOINT CMD").split()
    for word, _ in stage:
        if word not in known:
            sys.exit(f"{word} is not known here")
    return stage


def one(stage, name):
    found = [rest for word, rest in stage if word == name]
    if len(found) != 1:
        sys.exit(f"{len(found)} times {name}")
    return found[0]


def environment(stage):
    pairs = [pair for word, rest in stage if word == "ENV" for pair in shlex.split(rest)]
    return dict(pair.split("=", 1) for pair in pairs)


def health(stage):
    return json.loads(one(stage, "HEALTHCHECK").split("CMD", 1)[1])


def owner(text):
    user, group = text.split(":")
    return int(user), int(group)  # names would need a passwd file, which scratch has not


def build(stage, root, sources):
    for word, rest in stage:
        if word != "COPY":
            continue
        words = rest.split()
        flags = dict(w[2:].split("=") for w in words if w.startswith("--"))
        source, target = [w for w in words if not w.startswith("--")]
        source, target = sources[source], root + target
        os.makedirs(os.path.dirname(target), exist_ok=True)
        if os.path.isdir(source):
            os.mkdir(target)
        else:
            shutil.copy(source, target)
        if "chmod" in flags:
            os.chmod(target, int(flags["chmod"], 8))
        os.chown(target, *owner(flags.get("chown", "0:0")))
    for folder in ("proc", "dev", "sys"):  # which whatever runs it makes
        os.makedirs(f"{root}/{folder}", exist_ok=True)


def mount(*arguments):
    subprocess.run(["mount", *arguments], check=True)


def enter(stage, root, volumes):
    mount("--make-rprivate", "/")
    mount("--bind", root, root)
    for volume in volumes:
        folder, target = volume.split(":")
        if target not in json.loads(one(stage, "VOLUME")):
            sys.exit(f"{target} is no volume")
        mount("--bind", folder, root + target)
    mount("-t", "tmpfs", "-o", "mode=1777,noexec,nosuid,nodev", "tmpfs", f"{root}/tmp")
    mount("-t", "proc", "-o", "nosuid,nodev,noexec", "proc", f"{root}/proc")
    mount("-o", "remount,bind,ro", root)
    os.chdir(root)
    check(libc.syscall(155, b".", b"."), "pivot_root")  # x86-64; the old root is below, and goes
    check(libc.umount2(b".", 2), "umount")
    os.chdir("/")


def drop(user):
    for capability in range(64):
        libc.prctl(24, capability, 0, 0, 0)  # PR_CAPBSET_DROP
    check(libc.prctl(38, 1, 0, 0, 0), "no new privileges")
    os.setgroups([])
    os.setresgid(*[user[1]] * 3)
    os.setresuid(*[user[0]] * 3)


def main():
    work, dockerfile, *rest = sys.argv[1:]
    stage = instructions(dockerfile)
    if work == "build":
        sources = dict(pair.split("=", 1) for pair in rest[1:])
        sources["/out/empty"] = f"{rest[0]}.empty"
        os.makedirs(sources["/out/empty"])
        build(stage, rest[0], sources)
    elif work == "get":
        if rest[0] == "ENV":
            print("\n".join(f"{name}={value}" for name, value in environment(stage).items()))
        elif rest[0] == "HEALTHCHECK":
            print("\n".join(health(stage)))
        else:
            print(one(stage, rest[0]))
    else:
        root, first = rest[0], rest.index("--")
        second = rest.index("--", first + 1)
        arguments = rest[second + 1:] or json.loads(one(stage, "CMD"))
        settings = {**environment(stage), **dict(pair.split("=", 1) for pair in rest[first + 1:second])}
        program = json.loads(one(stage, "ENTRYPOINT"))
        enter(stage, root, rest[1:first])
        drop(owner(one(stage, "USER")))
        os.execve(program[0], program + arguments, settings)


main()
