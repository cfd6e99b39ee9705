set -eu
mkdir -p out
{
    echo "version $(cat VERSION)"
    cat pages/one.txt pages/two.txt
} > out/book.txt
