#!/bin/sh
# Prints the state of a Job for Snakemake: success, failed or running; a Job that no longer exists has failed.
status=$(kubectl get job "$1" --ignore-not-found -o 'jsonpath={.metadata.name}/{.status.succeeded}/{.status.failed}') ||
    status="$1//" # the cluster did not answer: retry later
case $status in
*/1/*) echo success ;;
*//) echo running ;;
*) echo failed ;;
esac
