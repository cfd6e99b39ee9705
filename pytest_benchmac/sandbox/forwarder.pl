# Listens on 127.0.0.1:PORT and passes every connection on to a Unix socket, one process for all.
# usage: perl -e SCRIPT SOCKET PORT [COMMAND...]
# With a command: listen, leave the forwarding to an orphan, and become the command.
# Modules of perl-base only, which every Debian image has.
use strict;
use warnings;
use Socket;
use Fcntl qw(F_GETFL F_SETFL O_NONBLOCK);
use Errno qw(EAGAIN EWOULDBLOCK EINTR);
use POSIX ();

my ($path, $port, @command) = @ARGV;
my $CHUNK = 65536;       # bytes held per direction: a slow reader slows its writer
my $MAX_PAIRS = 480;     # select() takes 1024 descriptors; more clients wait to be accepted

socket(my $server, PF_INET, SOCK_STREAM, 0) or die "socket: $!";
setsockopt($server, SOL_SOCKET, SO_REUSEADDR, 1) or die "setsockopt: $!";
bind($server, pack_sockaddr_in($port, inet_aton('127.0.0.1'))) or die "bind: $!";
listen($server, 4096) or die "listen: $!";

if (@command) {
    # Forked twice, so that the command does not find a child that it never had.
    defined(my $child = fork) or die "fork: $!";
    if ($child) {
        waitpid($child, 0);
        close $server;
        exec { $command[0] } @command or die "exec: $!";
    }
    defined(my $forwarder = fork) or die "fork: $!";
    POSIX::_exit(0) if $forwarder;
    # A held standard output would look like a command that still writes.
    open(STDIN, '<', '/dev/null');
    open(STDOUT, '>', '/dev/null');
    open(STDERR, '>', '/dev/null');
}

$SIG{PIPE} = 'IGNORE';
my %ends;    # descriptor -> {socket, out (bytes to write), eof (read side), peer}

sub unblock {
    my ($socket) = @_;
    fcntl($socket, F_SETFL, fcntl($socket, F_GETFL, 0) | O_NONBLOCK) or die "fcntl: $!";
}

sub drop {
    my ($end) = @_;
    for my $each ($end, $end->{peer}) {
        delete $ends{fileno $each->{socket}};
        close $each->{socket};
    }
    delete $end->{peer}{peer};
    delete $end->{peer};
}

sub would_block { return $! == EAGAIN || $! == EWOULDBLOCK || $! == EINTR }

while (1) {
    my ($reads, $writes) = ('', '');
    vec($reads, fileno $server, 1) = 1 if keys(%ends) < 2 * $MAX_PAIRS;
    for my $end (values %ends) {
        vec($reads, fileno $end->{socket}, 1) = 1
            if !$end->{eof} && length($end->{peer}{out}) < $CHUNK;
        vec($writes, fileno $end->{socket}, 1) = 1 if length $end->{out};
    }
    next if select($reads, $writes, undef, undef) < 0;

    if (vec($reads, fileno $server, 1) && accept(my $client, $server)) {
        socket(my $proxy, PF_UNIX, SOCK_STREAM, 0) or die "socket: $!";
        if (connect($proxy, pack_sockaddr_un($path))) {
            unblock($_) for $client, $proxy;
            my $one = {socket => $client, out => '', eof => 0};
            my $other = {socket => $proxy, out => '', eof => 0, peer => $one};
            $one->{peer} = $other;
            $ends{fileno $client} = $one;
            $ends{fileno $proxy} = $other;
        }
    }

    for my $fd (keys %ends) {
        my $end = $ends{$fd} or next;
        my $peer = $end->{peer};
        if (vec($reads, $fd, 1)) {
            my $got = sysread($end->{socket}, my $data, $CHUNK);
            if (!defined $got) {
                if (!would_block()) { drop($end); next }
            } elsif ($got == 0) {
                $end->{eof} = 1;
                shutdown($peer->{socket}, 1) if !length $peer->{out};
            } else {
                $peer->{out} .= $data;
            }
        }
        if (vec($writes, $fd, 1) && length $end->{out}) {
            my $put = syswrite($end->{socket}, $end->{out});
            if (!defined $put) {
                if (!would_block()) { drop($end); next }
            } else {
                substr($end->{out}, 0, $put, '');
                # The last of what the other side sent before it closed its half.
                shutdown($end->{socket}, 1) if $peer->{eof} && !length $end->{out};
            }
        }
        drop($end) if $end->{eof} && $peer->{eof} && !length $end->{out} && !length $peer->{out};
    }
}
