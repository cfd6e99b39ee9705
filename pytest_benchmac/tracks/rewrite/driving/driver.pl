# Runs a program on a batch of inputs, in a sandbox that has the program and inputs alone.
#
#   perl driver.pl BATCH
#
# BATCH is a list of netstrings, as driving/batch.py writes it; the answer to each input is a file of
# netstrings in the folder that it names. Perl as perl-base has it: no modules but these.
# Exit status: 0 when every input was tried, 3 when it stopped before (time, or nothing but hangs).
use strict;
use warnings;
use Errno qw(EINTR EAGAIN EINPROGRESS);
use Fcntl qw(F_GETFL F_SETFL O_NONBLOCK O_NOFOLLOW O_RDONLY S_ISREG S_ISDIR);
use POSIX qw(:sys_wait_h setsid);
use Socket;

my $machine = (POSIX::uname())[4];
# prctl and clock_gettime.
my ($PRCTL, $CLOCK) = $machine eq 'x86_64' ? (157, 228) : $machine eq 'aarch64' ? (167, 113) : ();
my ($DUMPABLE, $SUBREAPER) = (4, 36);
my $MOST_IN_A_ROW = 20;
my $TICK = 0.02;
$SIG{PIPE} = 'IGNORE';

sub prctl { my ($what, $value) = @_; syscall($PRCTL, $what, $value, 0, 0, 0) if $PRCTL }

sub now {
    return time unless $CLOCK;
    my $told = "\0" x 16;
    syscall($CLOCK, 1, $told);
    my ($seconds, $nanos) = unpack 'qq', $told;
    return $seconds + $nanos / 1e9;
}

# --- netstrings ---

sub read_all {
    my ($path) = @_;
    open my $file, '<:raw', $path or die "$path: $!";
    local $/;
    return scalar <$file>;
}

my $batch = read_all($ARGV[0]);
my $at = 0;

sub take {
    my $colon = index $batch, ':', $at;
    my $length = substr $batch, $at, $colon - $at;
    my $value = substr $batch, $colon + 1, $length;
    $at = $colon + $length + 2;
    return $value;
}

sub take_list { return map { take() } 1 .. take() }

sub net { return join '', map { length($_) . ":$_," } @_ }

sub net_list { return net(scalar @_, @_) }

my ($mode, $command, $root, $jobs, $work, $out, $budget_s) = map { take() } 1 .. 7;
my ($stream_bytes, $file_bytes, $most_files) = map { take() } 1 .. 3;
my ($port, $health, $start_s) = map { take() } 1 .. 3;
my @cases;
for (1 .. take()) {
    my %case = (token => take(), timeout => take());
    if ($mode eq 'cli') {
        @case{qw(line stdin)} = (take(), take());
        $case{env} = [take_list()];
        $case{files} = [take_list()];
    } else {
        for (1 .. take()) {
            my %step = (method => take(), path => take(), body => take());
            $step{headers} = [take_list()];
            $step{captures} = [take_list()];
            push @{ $case{steps} }, \%step;
        }
    }
    push @cases, \%case;
}
my $deadline = now() + $budget_s;

# What /proc has of this process is nobody's; orphans come here, and are ended.
prctl($DUMPABLE, 0);
prctl($SUBREAPER, 1);
for my $folder ($work, $out) { mkdir $folder, 0700 or die "$folder: $!" }
exit($mode eq 'cli' ? run_all() : serve_all());

# --- processes ---

# Every process below this one: parents come from /proc.
sub below {
    my %children;
    opendir my $proc, '/proc' or return;
    for my $pid (grep { /^\d+$/ } readdir $proc) {
        open my $stat, '<', "/proc/$pid/stat" or next;
        my $line = <$stat> // next;
        push @{ $children{$1} }, $pid if $line =~ /.*\) \S (\d+)/s;
    }
    my @found;
    my @pending = ($$);
    while (defined(my $pid = shift @pending)) {
        my @own = @{ delete $children{$pid} // [] };
        push @found, @own;
        push @pending, @own;
    }
    return @found;
}

# End all that is left below this process; orphans are its children, so that with the last child
# nothing is left.
sub end_all {
    my $until = now() + 10;
    while (1) {
        my $ended = waitpid -1, WNOHANG;
        next if $ended > 0;
        return 1 if $ended == -1;
        kill 'KILL', below();
        return 0 if now() > $until;
        select undef, undef, undef, 0.002;
    }
}

# The child's side: the variables of a case and nothing else, and the first to go when memory ends.
sub become {
    my ($folder, $line, @env) = @_;
    prctl($DUMPABLE, 1);
    if (open my $score, '>', '/proc/self/oom_score_adj') { print $score "1000\n"; close $score }
    %ENV = (
        PATH => '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
        HOME => "$folder/home", TMPDIR => "$folder/tmp", USER => 'user', LANG => 'C.UTF-8',
        ROOT => $root, @env,
    );
    $SIG{PIPE} = 'DEFAULT';
    exec '/bin/sh', '-c', $line or POSIX::_exit(127);
}

sub make_folder {
    my ($token) = @_;
    my $folder = "$work/$token";
    mkdir $_, 0700 for $folder, map { "$folder/$_" } qw(home tmp run);
    return $folder;
}

sub write_file {
    my ($folder, $path, $content) = @_;
    my @parts = split m{/}, $path;
    my $here = $folder;
    for my $part (@parts[0 .. $#parts - 1]) { $here .= "/$part"; mkdir $here, 0755 }
    open my $file, '>:raw', "$folder/$path" or return;
    print $file $content;
    close $file;
}

sub nonblocking { my ($handle) = @_; fcntl $handle, F_SETFL, fcntl($handle, F_GETFL, 0) | O_NONBLOCK }

# One read; undef at the end of the stream.
sub pump {
    my ($handle, $kept, $cut) = @_;
    my $read = sysread $handle, my $piece, 65536;
    return 1 if !defined $read && ($! == EAGAIN || $! == EINTR);
    return unless $read;
    my $room = $stream_bytes - length $$kept;
    $$cut = 1 if $read > $room;
    $$kept .= substr $piece, 0, $room if $room > 0;
    return 1;
}

# Regular files below a folder, whatever else lies there.
sub collect {
    my ($folder, $cut) = @_;
    my (@found, $seen);
    my @pending = ([$folder, '', 0]);
    while (my $next = shift @pending) {
        my ($place, $prefix, $depth) = @$next;
        opendir my $dir, $place or next;
        for my $name (sort grep { !/^\.\.?$/ } readdir $dir) {
            if (++$seen > 10 * $most_files) { $$cut = 1; return @found }
            my @stat = lstat "$place/$name" or next;
            if (S_ISDIR($stat[2]) && $depth < 16) {
                push @pending, ["$place/$name", "$prefix$name/", $depth + 1];
            } elsif (S_ISREG($stat[2])) {
                if (@found >= 2 * $most_files || $stat[7] > $file_bytes) { $$cut = 1; next }
                sysopen my $file, "$place/$name", O_RDONLY | O_NOFOLLOW | O_NONBLOCK or next;
                my $content = '';
                while (sysread $file, $content, 65536, length $content) {
                    last if length $content > $file_bytes;
                }
                push @found, "$prefix$name", $content;
            }
        }
    }
    return @found;
}

sub answer {
    my ($token, @told) = @_;
    open my $file, '>:raw', "$out/$token.part" or return;
    print $file @told;
    close $file;
    rename "$out/$token.part", "$out/$token";
}

# --- command lines ---

sub run_all {
    my (%slots, $in_a_row);
    while (@cases || %slots) {
        while (@cases && keys %slots < $jobs) {
            last if now() > $deadline || ($in_a_row // 0) >= $MOST_IN_A_ROW;
            my $case = shift @cases;
            my $pid = fork;
            if (!defined $pid) { unshift @cases, $case; last }
            if (!$pid) { POSIX::_exit(run_one($case)) }
            $slots{$pid} = 1;
        }
        if (!%slots) {
            return 3 if !@cases || now() > $deadline || ($in_a_row // 0) >= $MOST_IN_A_ROW;
            # Not even a process is to be had: somebody's orphans.
            end_all();
            select undef, undef, undef, 0.05;
            next;
        }
        my $ended = waitpid -1, 0;
        last if $ended == -1;
        next unless delete $slots{$ended};
        my $status = $?;
        $in_a_row = $status >> 8 == 3 ? ($in_a_row // 0) + 1 : 0;
        # A supervisor that was ended by another hand leaves what it watched over.
        if ($status & 127) {
            my %kept = map { $_ => 1 } keys %slots;
            kill 'KILL', grep { parent($_) == $$ && !$kept{$_} } below();
        }
    }
    return @cases ? 3 : 0;
}

sub parent {
    my ($pid) = @_;
    open my $stat, '<', "/proc/$pid/stat" or return 0;
    return (<$stat> // '') =~ /.*\) \S (\d+)/s ? $1 : 0;
}

sub run_one {
    my ($case) = @_;
    prctl($SUBREAPER, 1);
    my $folder = make_folder($case->{token});
    my @files = @{ $case->{files} };
    while (my ($path, $content) = splice @files, 0, 2) { write_file("$folder/run", $path, $content) }
    write_file($folder, 'stdin', $case->{stdin});
    pipe my $out_end, my $out_start or return 1;
    pipe my $err_end, my $err_start or return 1;
    my $began = now();
    my $pid = fork // return 1;
    if (!$pid) {
        setsid();
        open STDIN, '<', "$folder/stdin" or POSIX::_exit(127);
        open STDOUT, '>&', $out_start or POSIX::_exit(127);
        open STDERR, '>&', $err_start or POSIX::_exit(127);
        chdir "$folder/run" or POSIX::_exit(127);
        become($folder, $case->{line}, @{ $case->{env} });
    }
    close $_ for $out_start, $err_start;
    my ($stdout, $stderr, $cut, $status) = ('', '', 0, undef);
    my %open = ($out_end => [$out_end, \$stdout], $err_end => [$err_end, \$stderr]);
    nonblocking($_->[0]) for values %open;
    my $until = $began + $case->{timeout};
    while (now() < $until) {
        if (%open) {
            my $ready = '';
            vec($ready, fileno $_->[0], 1) = 1 for values %open;
            my $asked = $ready;
            select $ready, undef, undef, $TICK;
            for my $key (keys %open) {
                my ($handle, $kept) = @{ $open{$key} };
                next unless vec $ready, fileno $handle, 1;
                delete $open{$key} unless pump($handle, $kept, \$cut);
            }
        } else {
            select undef, undef, undef, 0.001;
        }
        my $ended = waitpid $pid, WNOHANG;
        if ($ended == $pid) { $status = $?; last }
    }
    my $spent = now() - $began;
    my $clean = end_all();
    # What it wrote before it ended, and nobody had taken yet.
    for my $open (values %open) {
        my $more = 1 + $stream_bytes / 4096;
        while ($more-- > 0) {
            my $before = length ${ $open->[1] };
            last unless pump($open->[0], $open->[1], \$cut);
            last if length ${ $open->[1] } == $before;
        }
    }
    my $ended = !defined $status ? 'timed out' : $status & 127 ? 'killed' : 'exited';
    my $exit = defined $status ? $status & 127 ? 128 + ($status & 127) : $status >> 8 : '';
    my @left = collect("$folder/run", \$cut);
    # First: there may be no room for the answer otherwise.
    system 'rm', '-rf', $folder;
    answer(
        $case->{token}, net($ended, $exit, sprintf('%.4f', $spent), $cut, 1, $stdout, $stderr),
        net_list(@left), net(0),
    );
    return $clean ? (defined $status ? 0 : 3) : 4;
}

# --- servers ---

sub serve_all {
    my $in_a_row = 0;
    while (my $case = shift @cases) {
        return 3 if now() > $deadline || $in_a_row >= $MOST_IN_A_ROW;
        my $ready = serve_one($case);
        $in_a_row = $ready ? 0 : $in_a_row + 1;
    }
    return 0;
}

sub serve_one {
    my ($case) = @_;
    my $began = now();
    end_all();
    if (my $taken = connect_to(now() + 1)) {
        answer($case->{token}, net('not run', '', 0, 0, 0, '', ''), net(0), net(0));
        return 0;
    }
    my $folder = make_folder($case->{token});
    pipe my $log_end, my $log_start or return 0;
    my $pid = fork // return 0;
    if (!$pid) {
        setsid();
        open STDIN, '<', '/dev/null' or POSIX::_exit(127);
        open STDOUT, '>&', $log_start or POSIX::_exit(127);
        open STDERR, '>&', $log_start or POSIX::_exit(127);
        chdir $root or POSIX::_exit(127);
        become($folder, $command, PORT => $port);
    }
    close $log_start;
    nonblocking($log_end);
    my ($log, $cut, $ready) = ('', 0, 0);
    my $watch = [$log_end, \$log, \$cut];
    my $until = now() + $start_s;
    my $dead;
    while (now() < $until) {
        my $told = request('GET', $health, [], '', min($until, now() + $case->{timeout}), $watch);
        if ($told->{status} eq '200') { $ready = 1; last }
        # One that ends well may have left a daemon behind, which is gone with its case as well.
        if (waitpid($pid, WNOHANG) == $pid) { $dead = $?; last if $dead }
        idle($TICK, $watch);
    }
    my (@answers, %captured);
    if ($ready) {
        for my $step (@{ $case->{steps} }) {
            my @headers = map { filled($_, \%captured) } @{ $step->{headers} };
            my $told = request(
                $step->{method}, filled($step->{path}, \%captured), \@headers,
                filled($step->{body}, \%captured), now() + $case->{timeout}, $watch,
            );
            push @answers, @$told{qw(status headers body problem)};
            last if $told->{status} eq '';
            my @captures = @{ $step->{captures} };
            my $value = @captures ? eval { parse_json($told->{body}) } : undef;
            while (my ($name, $pointer) = splice @captures, 0, 2) {
                my $found = at_pointer($value, $pointer);
                $captured{$name} = $found if defined $found && !ref $found;
            }
        }
    }
    idle(0, $watch);
    my $exit = defined $dead ? $dead & 127 ? 128 + ($dead & 127) : $dead >> 8 : '';
    end_all();
    system 'rm', '-rf', $folder;
    answer(
        $case->{token}, net('exited', $exit, sprintf('%.4f', now() - $began), 0, $ready, '', $log),
        net(0), net_list(@answers),
    );
    return $ready;
}

sub min { my ($one, $other) = @_; return $one < $other ? $one : $other }

sub filled {
    my ($text, $captured) = @_;
    $text =~ s/\{([a-z][A-Za-z0-9_]*)\}/exists $captured->{$1} ? $captured->{$1} : "{$1}"/ge;
    return $text;
}

# Wait, and take what the server prints meanwhile.
sub idle {
    my ($seconds, $watch) = @_;
    my $ready = '';
    vec($ready, fileno $watch->[0], 1) = 1 if $watch->[0];
    select $ready, undef, undef, $seconds;
    return unless $watch->[0] && vec $ready, fileno $watch->[0], 1;
    $watch->[0] = undef unless pump(@$watch);
    select undef, undef, undef, $seconds unless $watch->[0];
}

sub connect_to {
    my ($until) = @_;
    socket my $socket, PF_INET, SOCK_STREAM, getprotobyname('tcp') || 6 or return;
    nonblocking($socket);
    return $socket if connect $socket, sockaddr_in($port, INADDR_LOOPBACK);
    return unless $! == EINPROGRESS;
    my $ready = '';
    vec($ready, fileno $socket, 1) = 1;
    my $left = $until - now();
    return unless select undef, $ready, undef, $left > 0 ? $left : 0;
    return unpack('i', getsockopt $socket, SOL_SOCKET, SO_ERROR) == 0 ? $socket : undef;
}

# One request on a connection of its own; redirects are answers like any other.
sub request {
    my ($method, $path, $headers, $body, $until, $watch) = @_;
    my $failed = sub { return { status => '', headers => '', body => '', problem => $_[0] } };
    my $socket = connect_to($until) or return $failed->('no connection');
    my $text = "$method $path HTTP/1.1\r\nHost: localhost:$port\r\nConnection: close\r\n";
    my @more = @$headers;
    while (my ($name, $value) = splice @more, 0, 2) { $text .= "$name: $value\r\n" }
    $text .= 'Content-Length: ' . length($body) . "\r\n" if length $body || $method =~ /^P/;
    $text .= "\r\n$body";
    my $got = '';
    while (1) {
        my $left = $until - now();
        return $failed->('too slow') if $left <= 0;
        my ($in, $outward) = ('', '');
        vec($in, fileno $socket, 1) = 1;
        vec($in, fileno $watch->[0], 1) = 1 if $watch->[0];
        vec($outward, fileno $socket, 1) = 1 if length $text;
        select $in, $outward, undef, $left;
        if ($watch->[0] && vec $in, fileno $watch->[0], 1) {
            $watch->[0] = undef unless pump(@$watch);
        }
        if (length $text && vec $outward, fileno $socket, 1) {
            my $sent = syswrite $socket, $text;
            # A server may answer before it has read all, and close.
            $text = defined $sent ? substr $text, $sent : $! == EAGAIN ? $text : '';
        }
        next unless vec $in, fileno $socket, 1;
        my $read = sysread $socket, $got, 65536, length $got;
        next if !defined $read && ($! == EAGAIN || $! == EINTR);
        return $failed->('too large') if length $got > 2 * $stream_bytes;
        my $done = parsed($got, !$read, $method);
        return $done if $done;
        return $failed->('the connection broke off') unless $read;
    }
}

# The answer, if it is whole.
sub parsed {
    my ($got, $closed, $method) = @_;
    my $end = index $got, "\r\n\r\n";
    return if $end < 0 || $end > 65536;
    my $head = substr $got, 0, $end;
    my $rest = substr $got, $end + 4;
    return unless $head =~ s{^HTTP/1\.[01] (\d\d\d)[^\r\n]*(?:\r\n)?}{};
    my $status = $1;
    return parsed($rest, $closed, $method) if $status < 200 && $status != 101;
    my $told = { status => $status, headers => $head, body => '', problem => '' };
    return $told if $method eq 'HEAD' || $status == 204 || $status == 304;
    if ($head =~ /^transfer-encoding:[^\r\n]*chunked/im) {
        my ($body, $from) = ('', 0);
        while (substr($rest, $from) =~ /^([0-9A-Fa-f]{1,7})[^\r\n]*\r\n/) {
            my ($size, $start) = (hex $1, $from + length $&);
            return if length $rest < $start + $size;
            $body .= substr $rest, $start, $size;
            $told->{body} = $body;
            return $told unless $size;
            $from = $start + $size + 2;
        }
        return;
    }
    if ($head =~ /^content-length:\s*(\d{1,9})\s*$/im) {
        return if length $rest < $1;
        $told->{body} = substr $rest, 0, $1;
        return $told;
    }
    return unless $closed;
    $told->{body} = $rest;
    return $told;
}

# --- JSON, as far as captures need it: texts and numbers are texts, true and false too ---

sub parse_json {
    my ($text) = @_;
    my $place = \$text;
    pos($$place) = 0;
    return json_value($place, 0);
}

sub json_value {
    my ($text, $depth) = @_;
    die 'too deep' if $depth > 100;
    $$text =~ /\G\s+/gc;
    return json_text($1) if $$text =~ /\G"((?:[^"\\]|\\.)*)"/gcs;
    return $1 if $$text =~ /\G(-?\d[0-9.eE+-]*|true|false)/gc;
    return undef if $$text =~ /\Gnull/gc;    ## no critic
    if ($$text =~ /\G\{/gc) {
        my %object;
        return \%object if $$text =~ /\G\s*\}/gc;
        while ($$text =~ /\G\s*"((?:[^"\\]|\\.)*)"\s*:/gcs) {
            my $key = json_text($1);
            $object{$key} = json_value($text, $depth + 1);
            return \%object if $$text =~ /\G\s*\}/gc;
            last unless $$text =~ /\G\s*,/gc;
        }
    } elsif ($$text =~ /\G\[/gc) {
        my @list;
        return \@list if $$text =~ /\G\s*\]/gc;
        while (1) {
            push @list, json_value($text, $depth + 1);
            return \@list if $$text =~ /\G\s*\]/gc;
            last unless $$text =~ /\G\s*,/gc;
        }
    }
    die 'no JSON';
}

sub json_text {
    my ($text) = @_;
    my %short = (b => "\b", f => "\f", n => "\n", r => "\r", t => "\t");
    $text =~ s{\\(?:u([0-9A-Fa-f]{4})|(.))}{
        if (defined $1) { my $char = chr hex $1; utf8::encode($char); $char }
        else { $short{$2} // $2 }
    }gse;
    return $text;
}

sub at_pointer {
    my ($value, $pointer) = @_;
    my (undef, @names) = split m{/}, $pointer, -1;
    for my $name (@names) {
        $name =~ s{~1}{/}g;
        $name =~ s{~0}{~}g;
        if (ref $value eq 'HASH') { $value = $value->{$name} }
        elsif (ref $value eq 'ARRAY' && $name =~ /^\d+$/) { $value = $value->[$name] }
        else { return }
    }
    return $value;
}
