import asyncio


async def double(value):
    await asyncio.sleep(0)
    return value * 2


async def gather_doubles(values):
    results = await asyncio.gather(*(double(value) for value in values))
    total = 0
    for result in results:
        total += result
    return total, results


async def sequential(values):
    log = []
    for value in values:
        log.append(await double(value))
        if log[-1] > 6:
            break
    else:
        log.append("all")
    return log


def run(values):
    return asyncio.run(gather_doubles(values))

# CALLS
# run([1, 2, 3])
# sequential([1, 2, 3, 4, 5])
# sequential([1])
# gather_doubles([])
