#!/bin/sh
# What several recorders share and nobody else may know, made once into a folder: an authority, the
# recorders' token, where storage is, and the passwords of that and Valkey. What is there already is kept.
#
#   sh secrets.sh [FOLDER]      default: secrets, beside compose.yaml or kustomization.yaml
set -eu
umask 077
folder=${1:-secrets}
mkdir -p "$folder"
cd "$folder"
random() { openssl rand -hex 32; }
if [ ! -e ca.key ]; then
  # Below your institution's root it would be a request: openssl req -new, and ca.pem the chain.
  cat >ca.conf <<CONF
[req]
distinguished_name = name
prompt = no
x509_extensions = authority
[name]
O = warcorder: records HTTPS traffic for a web archive
CN = warcorder CA of several recorders $(date +%F)
[authority]
basicConstraints = critical, CA:TRUE, pathlen:0
keyUsage = critical, keyCertSign, cRLSign
subjectKeyIdentifier = hash
CONF
  openssl ecparam -genkey -name prime256v1 -noout | openssl pkcs8 -topk8 -nocrypt -out ca.key.new
  openssl req -x509 -new -key ca.key.new -days 3650 -config ca.conf -out ca.pem
  mv ca.key.new ca.key
  rm ca.conf
fi
if [ ! -e recorder.env ]; then
  key=$(openssl rand -hex 10) secret=$(random) password=$(random)
  printf 'ROOT_ACCESS_KEY=%s\nROOT_SECRET_KEY=%s\n' "$key" "$secret" >storage.env
  printf 'requirepass %s\n' "$password" >valkey.conf
  cat >recorder.env <<ENV
WARCORDER_API_TOKEN=$(random)
WARCORDER_DEDUP_SHARED=redis://:$password@valkey:6379/0
AWS_ENDPOINT_URL=http://storage:7070
AWS_REGION=us-east-1
AWS_ACCESS_KEY_ID=$key
AWS_SECRET_ACCESS_KEY=$secret
ENV
fi
chmod 644 ca.pem
echo "In $(pwd): clients have to trust ca.pem."
