# Loads the judgements of the study and computes its main figures again, without other packages.
# Run it in the folder of the files:  Rscript analysis.R

numbers <- c("page", "place", "seconds", "changes", "flagged", "primary")

# Everything is read as text, so that a name such as T or NA stays one; an apostrophe that was put before a cell to
# keep a spreadsheet from running it is taken off.
load_table <- function(file) {
  table <- read.csv(file, check.names = FALSE, colClasses = "character", encoding = "UTF-8", na.strings = "")
  plain <- function(column) sub("^'", "", column)
  names(table) <- plain(names(table))
  table[] <- lapply(table, plain)
  known <- intersect(numbers, names(table))
  table[known] <- lapply(table[known], as.numeric)
  table
}

judgements <- load_table("long.csv")
pages <- load_table("wide.csv")
primary <- judgements[judgements$primary == 1 & !is.na(judgements$answer), ]
origins <- sub("^answer_", "", grep("^answer_", names(pages), value = TRUE))
if (nrow(primary) == 0) {
  cat("Nobody has answered.\n")
  quit(save = "no")
}

# A name of two origins counts for each of them.
given <- strsplit(primary$origins, "|", fixed = TRUE)
by_origin <- primary[rep(seq_len(nrow(primary)), lengths(given)), ]
by_origin$origin <- factor(unlist(given), levels = origins)

cat("Answers by origin\n")
print(table(by_origin$origin, factor(by_origin$answer, levels = c("yes", "no"))))

cat("\nReasons of the noes by origin\n")
noes <- by_origin[by_origin$answer == "no" & !is.na(by_origin$reason), ]
if (nrow(noes) > 0) print(table(noes$reason, noes$origin))

# The primary test: the mean over participants of their mean difference, under all changes of sign; above 20
# participants under 100,000 random ones.
sign_flip <- function(differences) {
  n <- length(differences)
  if (n < 2) return(NA)
  least <- abs(sum(differences)) - 1e-12
  if (n <= 20) {
    sums <- differences[1]
    for (one in differences[-1]) sums <- c(sums + one, sums - one)
    return(mean(abs(sums) >= least))
  }
  set.seed(1)
  sums <- replicate(1e5, sum(differences * sample(c(-1, 1), n, replace = TRUE)))
  (1 + sum(abs(sums) >= least)) / (1 + length(sums))
}

# Pages on which a participant answered the names of both origins: yes to one less yes to the other.
used <- pages[pages$primary == 1, ]
differences_of <- function(a, b) {
  first <- used[[paste0("answer_", a)]]
  second <- used[[paste0("answer_", b)]]
  both <- !is.na(first) & !is.na(second)
  data.frame(participant = used$participant[both], value = (first[both] == "yes") - (second[both] == "yes"))
}

if (length(origins) > 1) {
  found <- lapply(combn(origins, 2, simplify = FALSE), function(pair) {
    rows <- differences_of(pair[1], pair[2])
    means <- as.numeric(tapply(rows$value, rows$participant, mean))
    data.frame(a = pair[1], b = pair[2], methods = nrow(rows), difference = mean(rows$value), p = sign_flip(means))
  })
  found <- do.call(rbind, found)
  found$holm <- p.adjust(found$p, method = "holm")
  cat("\nEvery two origins: difference of the shares of yes, sign-flip test over participants, Holm's correction\n")
  print(found, row.names = FALSE)
}
