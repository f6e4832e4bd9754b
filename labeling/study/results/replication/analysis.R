# Loads the judgements of the study and computes its main figures again, without other packages.
# Run it in the folder of the files:  Rscript analysis.R

plain <- function(column) {
  if (is.character(column)) sub("^'", "", column) else column
}

load_table <- function(file) {
  table <- read.csv(file, check.names = FALSE, stringsAsFactors = FALSE, encoding = "UTF-8", na.strings = "")
  names(table) <- plain(names(table))
  table[] <- lapply(table, plain)
  table
}

judgements <- load_table("long.csv")
pages <- load_table("wide.csv")
primary <- judgements[judgements$primary == 1 & !is.na(judgements$answer), ]

# A name of two origins counts for each of them.
given <- strsplit(primary$origins, "|", fixed = TRUE)
rows <- rep(seq_len(nrow(primary)), lengths(given))
by_origin <- primary[rows, ]
by_origin$origin <- unlist(given)
origins <- sort(unique(by_origin$origin))

cat("Answers by origin\n")
print(table(by_origin$origin, by_origin$answer))

cat("\nReasons of the noes by origin\n")
noes <- by_origin[by_origin$answer == "no" & !is.na(by_origin$reason), ]
if (nrow(noes) > 0) print(table(noes$origin, noes$reason))

# The primary test: the mean over participants of their mean difference, under all changes of sign.
sign_flip <- function(differences) {
  n <- length(differences)
  if (n < 2 || n > 20) return(NA)
  signs <- as.matrix(expand.grid(rep(list(c(-1, 1)), n)))
  sums <- abs(signs %*% differences)
  mean(sums >= abs(sum(differences)) - 1e-12)
}

difference_of <- function(a, b) {
  used <- pages[pages$primary == 1, ]
  first <- used[[paste0("answer_", a)]]
  second <- used[[paste0("answer_", b)]]
  both <- !is.na(first) & !is.na(second)
  value <- (first[both] == "yes") - (second[both] == "yes")
  tapply(value, used$participant[both], mean)
}

if (length(origins) > 1) {
  pairs <- combn(origins, 2)
  p <- apply(pairs, 2, function(pair) sign_flip(as.numeric(difference_of(pair[1], pair[2]))))
  cat("\nSign-flip test over participants, every two origins\n")
  print(data.frame(a = pairs[1, ], b = pairs[2, ], p = p, holm = p.adjust(p, method = "holm")))
}
