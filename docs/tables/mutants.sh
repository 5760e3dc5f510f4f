#!/usr/bin/env bash
# mutants.sh - the last table of docs/verification.md: the rules of the live locks
# that a test changes, from tests/source/mutants.txt.
set -eu
cd "$(dirname "$0")/../.."
. docs/tables/page.sh

bash tests/source/mutants.sh --table | table docs/verification.md mutants
