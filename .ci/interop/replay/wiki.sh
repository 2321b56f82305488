#!/usr/bin/env bash
# Installs Debian's MediaWiki on SQLite into a folder, and runs it at a port of 127.0.0.1.
#
#   wiki.sh FOLDER PORT PASSWORD
set -euo pipefail
folder=$1
mkdir -p "$folder"
php /usr/share/mediawiki/maintenance/install.php --dbtype sqlite --dbpath "$folder" --dbname wiki \
  --server https://wiki.example.org --scriptpath '' --confpath "$folder" --lang en --pass "$3" \
  Interop Admin >"$folder/install.log"
# Jobs would run behind answers, and this machine's PHP has no cache in memory.
cat >>"$folder/LocalSettings.php" <<'PHP'
$wgJobRunRate = 0;
$wgMainCacheType = CACHE_DB;
PHP
export MW_CONFIG_FILE=$folder/LocalSettings.php PHP_CLI_SERVER_WORKERS=3
cd /usr/share/mediawiki
exec php -d opcache.enable_cli=1 -S "127.0.0.1:$2" -t /usr/share/mediawiki
