#!/bin/sh
# Tells Snakemake how a Job is: success, failed or running; a Job that is gone has failed.
told=$(kubectl get job "$1" --ignore-not-found -o 'jsonpath={.metadata.name}/{.status.succeeded}/{.status.failed}') ||
    told="$1//" # the cluster did not answer: ask again later
case $told in
*/1/*) echo success ;;
*//) echo running ;;
*) echo failed ;;
esac
